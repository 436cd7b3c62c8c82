import { eq } from "drizzle-orm";
import { driveJob, isDriven } from "../../actors/provisioning/driving.ts";
import { request } from "../../actors/provisioning/request.ts";
import { stepsToUndo } from "../../actors/provisioning/steps.ts";
import { type Command, originOf } from "../../actors/runtime/actor.ts";
import { ServiceError } from "../../schema/errors.ts";
import { clusters } from "../../schema/provisioning/cluster.ts";
import { provisioningRequests, type RequestState, type Step } from "../../schema/provisioning/request.ts";
import type { ClaimedJob } from "../jobs/leases.ts";
import type { JobKind } from "../jobs/runner.ts";
import type { Landfall } from "../landfall.ts";
import { type Driver, drivers, type Service } from "./drivers/driver.ts";
import { DriverError } from "./drivers/driver-error.ts";
import { sealOutput } from "./requests.views.ts";

const defaultStepTimeoutSeconds = 900;

/** What provisioning does outside: brings each request's infrastructure to where the request wants it, a move at a time. */
export const provisioningJobs = (landfall: Landfall): JobKind[] => [
  { kind: driveJob, run: (job, signal) => drive(landfall, job, signal) },
];

interface Work extends Service {
  driver: Driver;
  signal: AbortSignal;
  /** Sends the result; one that comes too late is passed over. */
  tell<Input>(command: Command<RequestState, Input>, input: Input): Promise<void>;
}

async function drive(landfall: Landfall, job: ClaimedJob, signal: AbortSignal): Promise<void> {
  const { world, mailbox } = landfall;
  const [found] = await world.db
    .select({ request: provisioningRequests, clusterMetadata: clusters.metadata })
    .from(provisioningRequests)
    .leftJoin(clusters, eq(clusters.id, provisioningRequests.clusterId))
    .where(eq(provisioningRequests.id, job.key));
  const driver = found?.request.clusterType && drivers[found.request.clusterType];
  if (!found || !driver || !isDriven(found.request)) return;
  const origin = originOf("provisioning", job);
  const tell: Work["tell"] = async (command, input) => {
    await mailbox.send(command, { id: job.key, input, origin }).catch((error) => {
      if (!(error instanceof ServiceError) || error.code !== "invalid_transition") throw error;
    });
  };
  const { request: state, clusterMetadata } = found;
  const move = moves[state.status];
  await move?.({ request: state, clusterMetadata: clusterMetadata ?? {}, driver, signal, tell }, landfall);
}

/** What there is to do in each status; in the others nothing. */
const moves: Partial<Record<RequestState["status"], (work: Work, landfall: Landfall) => Promise<void>>> = {
  PROVISIONING: provision,
  ROLLING_BACK: rollBack,
  ACTIVE: (work) => settle(work, (driver) => driver.resume(work, work.signal)),
  SUSPENDED: (work) => settle(work, (driver) => driver.suspend(work, work.signal)),
  DEPROVISIONING: destroy,
};

async function provision(work: Work, { world }: Landfall): Promise<void> {
  const { request: state, driver, tell } = work;
  if (state.leftovers.length > 0) await cleanUp(work);
  const step = state.currentStep as Step;
  const run = { step, attempt: state.retryCount + 1 };
  try {
    const { output, repeated } = await withinStepTimeout(work, world.now(), (signal) =>
      driver.step(step, work, signal),
    );
    const result = { ...sealOutput(world.vault, { output }), run };
    await tell(request.advance, result);
    if (repeated) await tell(request.advance, result);
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    await tell(request.fail, { code: error.code, message: error.message, run });
  }
}

/** Undoes what an earlier attempt has left, before this one begins. */
async function cleanUp(work: Work): Promise<void> {
  await shown(work, async () => {
    const { error } = await undo(work, work.request.leftovers);
    if (error) throw error;
  });
  await work.tell(request.settle, { leftovers: [], error: null });
}

/** Ends a step that takes too long, counted from when it began, whichever process began it. */
async function withinStepTimeout<T>(
  work: Work,
  now: Date,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { request: state, clusterMetadata, signal } = work;
  const startedAt =
    state.steps.find(({ step }) => step === state.currentStep)?.startedAt ?? now.toISOString();
  const limit = clusterMetadata["stepTimeoutSeconds"];
  const seconds = typeof limit === "number" && limit > 0 ? limit : defaultStepTimeoutSeconds;
  const leftMs = Math.max(Date.parse(startedAt) + seconds * 1000 - now.getTime(), 0);
  const timeout = AbortSignal.timeout(leftMs);
  try {
    return await run(AbortSignal.any([signal, timeout]));
  } catch (error) {
    if (!timeout.aborted || signal.aborted) throw error;
    throw new DriverError("STEP_TIMEOUT", `The step took longer than ${seconds} seconds.`);
  }
}

/** Undoes steps, the last first, up to the first that can't be. */
async function undo(work: Work, steps: Step[]): Promise<{ undone: Step[]; error: DriverError | null }> {
  const undone: Step[] = [];
  for (const step of [...steps].reverse()) {
    try {
      await work.driver.undo(step, work, work.signal);
    } catch (error) {
      if (error instanceof DriverError) return { undone, error };
      throw error;
    }
    undone.push(step);
  }
  return { undone, error: null };
}

async function rollBack(work: Work): Promise<void> {
  const { undone, error } = await undo(work, stepsToUndo(work.request.steps, work.request.leftovers));
  if (!error) return work.tell(request["rolled-back"], {});
  await work.tell(request["rollback-failed"], {
    undone,
    error: { code: error.code, message: error.message },
  });
}

async function settle(work: Work, act: (driver: Driver) => Promise<void>): Promise<void> {
  const { status, settledStatus, leftovers } = work.request;
  if (leftovers.length > 0) await cleanUp(work);
  if (settledStatus === status) return;
  await shown(work, () => act(work.driver));
  await work.tell(request.settle, { settledStatus: status, error: null });
}

async function destroy(work: Work): Promise<void> {
  await shown(work, () => work.driver.destroy(work, work.signal));
  await work.tell(request.deprovisioned, {});
}

/** Shows a driver's fault in the request's `error`; the job is tried again. */
async function shown(work: Work, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (error instanceof DriverError)
      await work.tell(request.settle, { error: { code: error.code, message: error.message } });
    throw error;
  }
}
