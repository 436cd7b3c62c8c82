import { type Cluster, drivenClusterTypes } from "../../schema/provisioning/cluster.ts";
import {
  type CreateRequest,
  type Fault,
  type ManualComplete,
  provisioningRequests,
  type RequestState,
  type Step,
} from "../../schema/provisioning/request.ts";
import { ServiceError } from "../../schema/errors.ts";
import { ask, type Decision, defineActor, type Emission, type Moment } from "../runtime/actor.ts";
import { accessFrom } from "./access.ts";
import { openClusters, place } from "./placement.ts";
import {
  begunSteps,
  completeAll,
  completeStep,
  failStep,
  freshSteps,
  nextStep,
  startStep,
  undoSteps,
} from "./steps.ts";

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

/** The job that brings a request's infrastructure to where the request wants it; one at a time for each request. */
export const driveJob = "provisioning.drive";

/** Names the step and attempt that a worker's result belongs to, so that a late or repeated one is refused. */
export interface StepRun {
  step: Step;
  attempt: number;
}

/** What a step brought: its output without credentials, and those sealed. */
export interface StepResult {
  output?: Record<string, unknown>;
  sealedCredentials?: string;
  run?: StepRun;
}

type Emitted = Pick<RequestState, "orderId" | "orderItemId" | "resourceType" | "status" | "clusterId">;
type ProvisioningTopic = Extract<Emission, { topic: `provisioning.${string}` }>["topic"];
type Details = { step?: Step; output?: Record<string, unknown>; error?: Fault };

/** An event with the data that every event of a request carries. */
function told(id: string, state: Emitted, topic: ProvisioningTopic, details: Details = {}): Emission {
  const { orderId, orderItemId, resourceType, status, clusterId } = state;
  return {
    topic,
    data: { requestId: id, orderId, orderItemId, resourceType, status, clusterId, ...details },
  };
}

const byHand = (state: RequestState) => state.resourceType === "MANUAL" || state.clusterType === "MANUAL";

/** Whether a driver carries the request out. */
export const isDriven = (state: RequestState): boolean =>
  !byHand(state) && state.clusterType !== null && drivenClusterTypes.includes(state.clusterType);

const drive = (state: RequestState) => (isDriven(state) ? [{ kind: driveJob, key: state.id }] : []);

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
  const place_ = state.clusterId ? {} : placed(place(clusters, state.resourceType, state.specification));
  return begin({ ...state, ...place_ }, now);
}

function retry(state: RequestState, _: unknown, __: unknown, { now }: Moment) {
  if (state.retryCount >= state.maxRetries) {
    throw new ServiceError("retry_limit", `The request was retried ${state.maxRetries} times already.`);
  }
  return begin({ ...state, retryCount: state.retryCount + 1 }, now);
}

/** All four steps anew, or over to a person. */
function begin(state: RequestState, now: Date): Decision<RequestState> {
  const steps = freshSteps(state.retryCount + 1);
  const next: RequestState = byHand(state)
    ? { ...state, steps, status: "AWAITING_MANUAL", currentStep: null, error: null }
    : {
        ...state,
        steps: startStep(steps, "ALLOCATE", now),
        status: "PROVISIONING",
        currentStep: "ALLOCATE",
        error: null,
      };
  return { set: next, emit: [told(state.id, next, "provisioning.started")], jobs: drive(next) };
}

function advance(
  state: RequestState,
  { output, sealedCredentials, run }: StepResult,
  _: unknown,
  { now }: Moment,
) {
  const step = runningStep(state, run);
  const following = nextStep(step);
  const completed = completeStep(state.steps, step, output ?? null, now);
  const next: RequestState = {
    ...state,
    steps: following ? startStep(completed, following, now) : completed,
    currentStep: following,
    status: following ? "PROVISIONING" : "ACTIVE",
    settledStatus: following ? null : "ACTIVE",
    access: accessFrom(state.access, output),
    sealedCredentials: withCredentials(state, sealedCredentials),
  };
  const emit = [told(state.id, next, "provisioning.step-completed", { step, ...(output ? { output } : {}) })];
  if (!following)
    emit.push(
      told(state.id, next, "provisioning.service-activated"),
      told(state.id, next, "provisioning.completed"),
    );
  // Ordered also when the API completes the last step, so that a driver still at work is stopped.
  return { set: next, step, emit, jobs: following || !run ? drive(next) : [] };
}

function fail(
  state: RequestState,
  { code, message, run }: Fault & { run?: StepRun },
  _: unknown,
  { now }: Moment,
) {
  const error = { code, message };
  const step = state.currentStep && runningStep(state, run);
  const steps = step ? failStep(state.steps, step, error, now) : state.steps;
  const rollingBack = isDriven(state);
  const next: RequestState = {
    ...state,
    steps,
    error,
    currentStep: null,
    status: rollingBack ? "ROLLING_BACK" : "FAILED",
  };
  const emit = rollingBack
    ? []
    : [told(state.id, next, "provisioning.failed", { ...(step ? { step } : {}), error })];
  return { set: next, ...(step ? { step } : {}), detail: { error }, emit, jobs: drive(next) };
}

/** The step under way; refuses a result that belongs to another step or attempt. */
function runningStep(state: RequestState, run?: StepRun): Step {
  const step = state.currentStep as Step;
  if (run && (run.step !== step || run.attempt !== state.retryCount + 1)) {
    throw new ServiceError("invalid_transition", "The request has moved on from this step.", {
      from: state.status,
    });
  }
  return step;
}

const withCredentials = (state: RequestState, sealed?: string) =>
  sealed ? [...(state.sealedCredentials ?? []), sealed] : state.sealedCredentials;

/** `undone` steps were undone; of what is left, `error` tells why. */
function rollbackFailed(state: RequestState, { undone, error }: { undone: Step[]; error: Fault }) {
  const next: RequestState = {
    ...state,
    status: "ROLLBACK_FAILED",
    steps: undoSteps(state.steps, undone),
    leftovers: begunSteps(state.steps).filter((step) => !undone.includes(step)),
  };
  return {
    set: next,
    detail: { error },
    emit: [told(state.id, next, "provisioning.failed", causeOf(state))],
  };
}

function rolledBack(state: RequestState) {
  const next: RequestState = {
    ...state,
    status: "FAILED",
    steps: undoSteps(state.steps, begunSteps(state.steps)),
    leftovers: [],
  };
  const emit = [
    told(state.id, next, "provisioning.rolled-back"),
    told(state.id, next, "provisioning.failed", causeOf(state)),
  ];
  return { set: next, emit };
}

const causeOf = ({ error }: RequestState): Details => (error ? { error } : {});

type Handover = Omit<NonNullable<ManualComplete>, "credentials"> & { sealedCredentials?: string };

function manualComplete(
  state: RequestState,
  { sealedCredentials, ...access }: Handover,
  _: unknown,
  { now }: Moment,
) {
  const next: RequestState = {
    ...state,
    status: "ACTIVE",
    settledStatus: "ACTIVE",
    steps: completeAll(state.steps, now),
    access: accessFrom(state.access, access),
    sealedCredentials: withCredentials(state, sealedCredentials),
  };
  return {
    set: next,
    emit: [
      told(state.id, next, "provisioning.service-activated"),
      told(state.id, next, "provisioning.completed"),
    ],
  };
}

/** The status is what is wanted; the driver follows. */
function switchTo(
  state: RequestState,
  status: "ACTIVE" | "SUSPENDED",
  topic: ProvisioningTopic,
): Decision<RequestState> {
  const next: RequestState = {
    ...state,
    status,
    settledStatus: isDriven(state) ? state.settledStatus : status,
  };
  return { set: next, emit: [told(state.id, next, topic)], jobs: drive(next) };
}

function remove(state: RequestState): Decision<RequestState> {
  if (state.status === "DEPROVISIONING") return {};
  const untouched = ["PENDING", "PENDING_APPROVAL", "REJECTED"].includes(state.status);
  if (untouched || !isDriven(state)) return deprovision(state);
  const next: RequestState = { ...state, status: "DEPROVISIONING", currentStep: null };
  return { set: next, jobs: drive(next) };
}

function deprovision(state: RequestState): Decision<RequestState> {
  const next: RequestState = {
    ...state,
    status: "DEPROVISIONED",
    currentStep: null,
    error: null,
    sealedCredentials: null,
    leftovers: [],
  };
  return { set: next, emit: [told(state.id, next, "provisioning.deprovisioned")] };
}

/** The worker's own notes: what the driver has reached, and what it could not do. */
function settle(
  _: RequestState,
  input: Partial<Pick<RequestState, "settledStatus" | "leftovers" | "error">>,
) {
  return { set: input };
}
