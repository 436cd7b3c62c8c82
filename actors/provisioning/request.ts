import { ServiceError } from "../../schema/errors.ts";
import type { Cluster } from "../../schema/provisioning/cluster.ts";
import { provisioningRequests, type RequestState } from "../../schema/provisioning/request.ts";
import type { CreateRequest } from "../../schema/provisioning/request-bodies.ts";
import { ask, type Decision, defineActor, type Moment } from "../runtime/actor.ts";
import { drive, isDriven } from "./driving.ts";
import { type ProvisioningTopic, told } from "./events.ts";
import { openClusters, place } from "./placement.ts";
import { freshSteps, startStep, stopSteps } from "./steps.ts";
import { advance, begin, fail, manualComplete, rollbackFailed, rolledBack } from "./workflow.ts";

const deletable = [
  "PENDING_APPROVAL",
  "PENDING",
  "REJECTED",
  "PROVISIONING",
  "AWAITING_MANUAL",
  "ACTIVE",
  "SUSPENDED",
  "FAILED",
  "ROLLBACK_FAILED",
  "DEPROVISIONING",
];

/** An order item on its way to a running service, and the service until it is gone. */
export const request = defineActor({
  name: "provisioning request",
  service: "provisioning",
  table: provisioningRequests,
  audited: true,
  accepts: {
    create: "new",
    start: ["PENDING"],
    advance: ["PROVISIONING"],
    fail: ["PROVISIONING", "AWAITING_MANUAL"],
    "manual-complete": ["AWAITING_MANUAL"],
    retry: ["FAILED", "ROLLBACK_FAILED"],
    suspend: ["ACTIVE"],
    reactivate: ["SUSPENDED"],
    delete: deletable,
    "rolled-back": ["ROLLING_BACK"],
    "rollback-failed": ["ROLLING_BACK"],
    deprovisioned: ["DEPROVISIONING"],
    settle: ["PROVISIONING", "ACTIVE", "SUSPENDED", "DEPROVISIONING"],
  },
  commands: {
    create,
    start,
    advance,
    fail,
    "manual-complete": manualComplete,
    retry,
    suspend: (state: RequestState) => switchTo(state, "SUSPENDED", "provisioning.suspended"),
    reactivate: (state: RequestState) => switchTo(state, "ACTIVE", "provisioning.reactivated"),
    delete: remove,
    "rolled-back": rolledBack,
    "rollback-failed": rollbackFailed,
    deprovisioned: (state: RequestState) => deprovision(state),
    settle,
  },
  internal: ["rolled-back", "rollback-failed", "deprovisioned", "settle"],
  quiet: ["settle"],
  facts: {
    create: () => ({ clusters: ask(openClusters, null) }),
    start: () => ({ clusters: ask(openClusters, null) }),
  },
});

const placed = (cluster: Cluster | null) => ({
  clusterId: cluster?.id ?? null,
  clusterType: cluster?.type ?? null,
});

interface Open {
  clusters: Cluster[];
}

function create(_: RequestState, input: CreateRequest, { clusters }: Open, { id, caller }: Moment) {
  const set: Omit<RequestState, "id" | "version" | "createdAt" | "updatedAt"> = {
    ...input,
    metadata: input.metadata ?? {},
    ...placed(place(clusters, input.resourceType, input.specification)),
    status: "PENDING",
    currentStep: null,
    steps: freshSteps(1),
    retryCount: 0,
    maxRetries: 3,
    access: null,
    sealedCredentials: null,
    error: null,
    settledStatus: null,
    leftovers: [],
    createdBy: caller.id,
  };
  return { set, emit: [told(id, set, "provisioning.requested")] };
}

function start(state: RequestState, _: unknown, { clusters }: Open, { now }: Moment) {
  if (state.clusterId) return begin(state, now);
  const found = place(clusters, state.resourceType, state.specification);
  return begin({ ...state, ...placed(found) }, now);
}

function retry(state: RequestState, _: unknown, __: unknown, { now }: Moment) {
  if (state.retryCount >= state.maxRetries) {
    throw new ServiceError("retry_limit", `The request was retried ${state.maxRetries} times already.`);
  }
  return begin({ ...state, retryCount: state.retryCount + 1 }, now);
}

/** The status is what is wanted; the driver follows. Until it has, nobody knows how far an earlier call of it came. */
function switchTo(
  state: RequestState,
  status: "ACTIVE" | "SUSPENDED",
  topic: ProvisioningTopic,
): Decision<RequestState> {
  const next: RequestState = {
    ...state,
    status,
    settledStatus: isDriven(state) ? null : status,
  };
  return { set: next, emit: [told(state.id, next, topic)], jobs: drive(next) };
}

function remove(state: RequestState): Decision<RequestState> {
  if (state.status === "DEPROVISIONING") return {};
  const untouched = ["PENDING", "PENDING_APPROVAL", "REJECTED"].includes(state.status);
  if (untouched || !isDriven(state)) return deprovision(state);
  const next: RequestState = {
    ...state,
    status: "DEPROVISIONING",
    currentStep: null,
    steps: stopSteps(state.steps),
  };
  return { set: next, jobs: drive(next) };
}

function deprovision(state: RequestState): Decision<RequestState> {
  const next: RequestState = {
    ...state,
    status: "DEPROVISIONED",
    steps: stopSteps(state.steps),
    currentStep: null,
    error: null,
    sealedCredentials: null,
    leftovers: [],
  };
  return { set: next, emit: [told(state.id, next, "provisioning.deprovisioned")] };
}

/** The worker's own notes: what the driver has reached, and what it could not do. A step begins once nothing is left to undo. */
function settle(
  { steps, currentStep }: RequestState,
  input: Partial<Pick<RequestState, "settledStatus" | "leftovers" | "error">>,
  _: unknown,
  { now }: Moment,
) {
  const cleaned = input.leftovers?.length === 0 && currentStep !== null;
  return { set: cleaned ? { ...input, steps: startStep(steps, currentStep, now) } : input };
}
