import { ServiceError } from "../../schema/errors.ts";
import type { Fault, RequestState, Step } from "../../schema/provisioning/request.ts";
import type { ManualComplete } from "../../schema/provisioning/request-bodies.ts";
import type { Moment } from "../runtime/actor.ts";
import { accessFrom } from "./access.ts";
import { byHand, drive, isDriven } from "./driving.ts";
import { type Details, told } from "./events.ts";
import { release } from "./reservation.ts";
import {
  completeAll,
  completeStep,
  failStep,
  freshSteps,
  nextStep,
  startStep,
  stepsToUndo,
  undoSteps,
} from "./steps.ts";

/* The way through the four steps, and back where one fails. */

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

/** All four steps anew, or over to a person. What an earlier attempt said of the access is void. */
export function begin(state: RequestState, now: Date) {
  const steps = freshSteps(state.retryCount + 1);
  const fresh: RequestState = { ...state, access: null, sealedCredentials: null, error: null };
  const next: RequestState = byHand(state)
    ? { ...fresh, steps, status: "AWAITING_MANUAL", currentStep: null }
    : {
        ...fresh,
        steps: startStep(steps, "ALLOCATE", now),
        status: "PROVISIONING",
        currentStep: "ALLOCATE",
      };
  return { set: next, emit: [told(state.id, next, "provisioning.started")], jobs: drive(next) };
}

export function advance(
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

export function fail(
  state: RequestState,
  { code, message, run }: Fault & { run?: StepRun },
  _: unknown,
  moment: Moment,
) {
  const error = { code, message };
  const step = state.currentStep && runningStep(state, run);
  const steps = step ? failStep(state.steps, step, error, moment.now) : state.steps;
  const rollingBack = isDriven(state);
  const next: RequestState = {
    ...state,
    steps,
    error,
    currentStep: null,
    ...(rollingBack ? { status: "ROLLING_BACK" } : { status: "FAILED", reserved: null }),
  };
  const also = rollingBack ? [] : release(state, moment);
  const emit = rollingBack
    ? []
    : [told(state.id, next, "provisioning.failed", { ...(step ? { step } : {}), error })];
  return { set: next, ...(step ? { step } : {}), detail: { error }, also, emit, jobs: drive(next) };
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
export function rollbackFailed(
  state: RequestState,
  { undone, error }: { undone: Step[]; error: Fault },
  _: unknown,
  moment: Moment,
) {
  const next: RequestState = {
    ...state,
    status: "ROLLBACK_FAILED",
    reserved: null,
    steps: undoSteps(state.steps, undone),
    leftovers: stepsToUndo(state.steps, state.leftovers).filter((step) => !undone.includes(step)),
  };
  return {
    set: next,
    detail: { error },
    also: release(state, moment),
    emit: [told(state.id, next, "provisioning.failed", causeOf(state))],
  };
}

export function rolledBack(state: RequestState, _: unknown, __: unknown, moment: Moment) {
  const next: RequestState = {
    ...state,
    status: "FAILED",
    reserved: null,
    steps: undoSteps(state.steps, stepsToUndo(state.steps, [])),
    leftovers: [],
  };
  const emit = [
    told(state.id, next, "provisioning.rolled-back"),
    told(state.id, next, "provisioning.failed", causeOf(state)),
  ];
  return { set: next, also: release(state, moment), emit };
}

const causeOf = ({ error }: RequestState): Details => (error ? { error } : {});

type Handover = Omit<NonNullable<ManualComplete>, "credentials"> & { sealedCredentials?: string };

export function manualComplete(
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
