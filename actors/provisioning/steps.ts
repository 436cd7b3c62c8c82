import { type Fault, type Step, type StepState, steps } from "../../schema/provisioning/request.ts";

/** All four steps before they begin. */
export const freshSteps = (attempt: number): StepState[] =>
  steps.map((step) => ({
    step,
    status: "PENDING",
    attempt,
    startedAt: null,
    finishedAt: null,
    output: null,
    error: null,
  }));

/** The step after this one; null after the last. */
export const nextStep = (step: Step): Step | null => steps[steps.indexOf(step) + 1] ?? null;

export const startStep = (all: StepState[], step: Step, now: Date): StepState[] =>
  change(all, step, { status: "RUNNING", startedAt: now.toISOString() });

export const completeStep = (
  all: StepState[],
  step: Step,
  output: StepState["output"],
  now: Date,
): StepState[] => change(all, step, { status: "COMPLETED", finishedAt: now.toISOString(), output });

export const failStep = (all: StepState[], step: Step, error: Fault, now: Date): StepState[] =>
  change(all, step, { status: "FAILED", finishedAt: now.toISOString(), error });

/** For a request that a person has carried out. */
export const completeAll = (all: StepState[], now: Date): StepState[] =>
  all.map((state) => ({
    ...state,
    status: "COMPLETED",
    startedAt: state.startedAt ?? now.toISOString(),
    finishedAt: now.toISOString(),
  }));

/** The steps that have something to undo, in their order: those begun, and those left from an earlier attempt. */
export const stepsToUndo = (all: StepState[], leftovers: Step[]): Step[] =>
  all
    .filter(
      ({ step, status }) => leftovers.includes(step) || (status !== "PENDING" && status !== "ROLLED_BACK"),
    )
    .map(({ step }) => step);

/** These steps were undone; the one that failed stays failed. */
export const undoSteps = (all: StepState[], undone: Step[]): StepState[] =>
  all.map((state) =>
    undone.includes(state.step) && !["PENDING", "FAILED"].includes(state.status)
      ? { ...state, status: "ROLLED_BACK" }
      : state,
  );

const change = (all: StepState[], step: Step, set: Partial<StepState>): StepState[] =>
  all.map((state) => (state.step === step ? { ...state, ...set } : state));

/** Nothing runs any more: the step under way was cut short by the request's deletion. */
export const stopSteps = (all: StepState[]): StepState[] =>
  all.map((state) => (state.status === "RUNNING" ? { ...state, status: "ROLLED_BACK" } : state));
