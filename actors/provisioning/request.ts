import { ServiceError } from "../../schema/errors.ts";
import type { ApprovalRuleState } from "../../schema/provisioning/approval-rule.ts";
import type { Cluster } from "../../schema/provisioning/cluster.ts";
import { provisioningRequests, type RequestState } from "../../schema/provisioning/request.ts";
import type { CreateRequest } from "../../schema/provisioning/request-bodies.ts";
import { ask, type Decision, defineActor, everyone, type Moment } from "../runtime/actor.ts";
import { amountsOf } from "./amounts.ts";
import { approvalLock, approve, askFor, expired, reject, withdraw } from "./approval.ts";
import { cluster } from "./cluster.ts";
import { activeRules, factsOf, firstMatch } from "./conditions.ts";
import { drive, isDriven } from "./driving.ts";
import { type ProvisioningTopic, told } from "./events.ts";
import { keyMaker } from "./key-maker.ts";
import { place } from "./placement.ts";
import { counterLock } from "./quota.ts";
import { holdings, occupy, release, reserve } from "./reservation.ts";
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
    approve: ["PENDING_APPROVAL"],
    reject: ["PENDING_APPROVAL"],
    expired: ["PENDING_APPROVAL"],
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
    approve,
    reject,
    expired,
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
    deprovisioned: (state: RequestState, _: unknown, __: unknown, moment: Moment) =>
      deprovision(state, moment),
    settle,
  },
  internal: ["expired", "rolled-back", "rollback-failed", "deprovisioned", "settle"],
  quiet: ["settle"],
  furtherLocks: {
    create: (_, input) => [...toPlace, counterLock(input)],
    reject: held,
    expired: held,
    start: (state) => (state?.clusterId ? [] : toPlace),
    fail: held,
    retry: (state) => (state ? holdings(state) : []),
    delete: held,
    "rolled-back": held,
    "rollback-failed": held,
    deprovisioned: held,
    approve: approvalLock,
  },
  facts: {
    approve: ordererOf,
    reject: ordererOf,
    create: (_, input) => ({ rules: ask(activeRules, input.tenantId) }),
  },
});

function ordererOf(state: RequestState | null) {
  return { maker: ask(keyMaker, state?.createdBy ?? "") };
}

/** To find a cluster, all are looked at. */
const toPlace = [[cluster, everyone]] as const;

/** What a request's end gives back, and the approval that ends with it. */
function held(state: RequestState | null) {
  return state ? [...approvalLock(state), ...(state.reserved ? holdings(state) : [])] : [];
}

const placed = (found: Cluster | null) => ({
  clusterId: found?.id ?? null,
  clusterType: found?.type ?? null,
});

interface Rules {
  rules: ApprovalRuleState[];
}
/** An order wants the request: it is started once nothing holds it back. */
type NewRequest = CreateRequest & { startsWhenApproved?: true };

function create(_: RequestState, input: NewRequest, { rules }: Rules, moment: Moment) {
  const { id, caller } = moment;
  const amounts = amountsOf(input);
  const { clusterId, clusterType } = placed(place(moment.lockedAll(cluster) as Cluster[], input, amounts));
  const reservation = reserve({ ...input, clusterId }, amounts, moment);
  const rule = firstMatch(rules, factsOf({ ...input, clusterId }, reservation.percent));
  const asked = rule && askFor(rule, { id, tenantId: input.tenantId }, moment);
  const set: Omit<RequestState, "id" | "version" | "createdAt" | "updatedAt"> = {
    startsWhenApproved: false,
    ...input,
    metadata: input.metadata ?? {},
    clusterId,
    clusterType,
    status: asked ? "PENDING_APPROVAL" : "PENDING",
    approvalId: asked?.approvalId ?? null,
    reserved: amounts,
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
  return {
    set,
    also: [...reservation.also, ...(asked?.also ?? [])],
    jobs: [...reservation.jobs, ...(asked?.jobs ?? [])],
    emit: [
      told(id, set, "provisioning.requested"),
      ...(asked ? [told(id, set, "provisioning.approval-requested")] : []),
    ],
  };
}

function start(state: RequestState, _: unknown, __: unknown, moment: Moment): Decision<RequestState> {
  if (state.clusterId) return begin(state, moment.now);
  const amounts = amountsOf(state);
  const found = place(moment.lockedAll(cluster) as Cluster[], state, amounts);
  const { clusterId, clusterType } = placed(found);
  const begun = begin({ ...state, clusterId, clusterType }, moment.now);
  return { ...begun, also: occupy(clusterId, amounts, moment) };
}

function retry(state: RequestState, _: unknown, __: unknown, moment: Moment) {
  if (state.retryCount >= state.maxRetries) {
    throw new ServiceError("retry_limit", `The request was retried ${state.maxRetries} times already.`);
  }
  const amounts = amountsOf(state);
  const { also, jobs } = reserve(state, amounts, moment);
  const begun = begin({ ...state, retryCount: state.retryCount + 1, reserved: amounts }, moment.now);
  return { ...begun, also, jobs: [...jobs, ...begun.jobs] };
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

function remove(state: RequestState, _: unknown, __: unknown, moment: Moment): Decision<RequestState> {
  if (state.status === "DEPROVISIONING") return {};
  const untouched = ["PENDING", "PENDING_APPROVAL", "REJECTED"].includes(state.status);
  if (untouched || !isDriven(state)) return deprovision(state, moment);
  const next: RequestState = {
    ...state,
    status: "DEPROVISIONING",
    currentStep: null,
    steps: stopSteps(state.steps),
  };
  return { set: next, jobs: drive(next) };
}

function deprovision(state: RequestState, moment: Moment): Decision<RequestState> {
  const next: RequestState = {
    ...state,
    status: "DEPROVISIONED",
    steps: stopSteps(state.steps),
    currentStep: null,
    error: null,
    sealedCredentials: null,
    leftovers: [],
    reserved: null,
  };
  return {
    set: next,
    also: [...withdraw(state, moment), ...release(state, moment)],
    emit: [told(state.id, next, "provisioning.deprovisioned")],
  };
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
