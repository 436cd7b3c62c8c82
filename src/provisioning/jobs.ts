import { eq } from "drizzle-orm";
import { expiryJob } from "../../actors/provisioning/approval.ts";
import { driveJob, isDriven } from "../../actors/provisioning/driving.ts";
import { quotaWarningJob } from "../../actors/provisioning/quota.ts";
import { request } from "../../actors/provisioning/request.ts";
import { stepsToUndo } from "../../actors/provisioning/steps.ts";
import { type Command, originOf } from "../../actors/runtime/actor.ts";
import type { Mailbox, Order } from "../../actors/runtime/mailbox.ts";
import { ServiceError } from "../../schema/errors.ts";
import { clusters } from "../../schema/provisioning/cluster.ts";
import {
  type Fault,
  provisioningRequests,
  type RequestState,
  type Step,
} from "../../schema/provisioning/request.ts";
import type { Log } from "../../schema/world.ts";
import type { ClaimedJob } from "../jobs/leases.ts";
import type { JobKind } from "../jobs/runner.ts";
import type { Landfall } from "../landfall.ts";
import { siteOf } from "./credentials.ts";
import { withDeadline } from "./drivers/deadline.ts";
import { type Driver, drivers, type Service } from "./drivers/driver.ts";
import { DriverError } from "./drivers/driver-error.ts";
import { sealOutput } from "./requests.views.ts";

const defaultStepTimeoutSeconds = 900;

/** What provisioning does outside: brings each request's infrastructure to where the request wants it, a move at a time. */
export const provisioningJobs = (landfall: Landfall): JobKind[] => [
  { kind: driveJob, run: (job, signal) => drive(landfall, job, signal) },
  { kind: expiryJob, run: (job) => expire(landfall, job) },
  { kind: quotaWarningJob, run: async (job) => tellOfQuota(landfall, job) },
];

/** Ends an approval that nobody has decided in time. */
const expire = ({ mailbox }: Landfall, job: ClaimedJob): Promise<void> =>
  sendUnlessLate(mailbox, request.expired, {
    id: job.key,
    input: {},
    origin: originOf("provisioning", job),
  });

/** Tells of a quota that is nearly used up. */
function tellOfQuota({ world }: Landfall, { payload, correlationId }: ClaimedJob): void {
  world.log.warn("quota nearly used up", { ...payload, correlationId });
}

/** Sends a result; one that comes too late is passed over. */
async function sendUnlessLate<Input>(
  mailbox: Mailbox,
  command: Command<RequestState, Input>,
  order: Order<RequestState, Input>,
): Promise<void> {
  await mailbox.send(command, order).catch((error) => {
    if (!(error instanceof ServiceError) || error.code !== "invalid_transition") throw error;
  });
}

interface Work extends Service {
  driver: Driver;
  log: Log;
  signal: AbortSignal;
  /** Sends the result; one that comes too late is passed over. */
  tell<Input>(command: Command<RequestState, Input>, input: Input): Promise<void>;
}

async function drive(landfall: Landfall, job: ClaimedJob, signal: AbortSignal): Promise<void> {
  const { world, mailbox } = landfall;
  const [found] = await world.db
    .select({ request: provisioningRequests, cluster: clusters })
    .from(provisioningRequests)
    .leftJoin(clusters, eq(clusters.id, provisioningRequests.clusterId))
    .where(eq(provisioningRequests.id, job.key));
  const driver = found?.cluster && drivers[found.cluster.type];
  if (!found?.cluster || !driver || !isDriven(found.request)) return;
  const origin = originOf("provisioning", job);
  const tell: Work["tell"] = (command, input) =>
    sendUnlessLate(mailbox, command, { id: job.key, input, origin });
  const { request: state, cluster } = found;
  const site = siteOf(landfall.config, cluster);
  const work: Work = { request: state, site, driver, log: world.log, signal, tell };
  try {
    await moves[state.status]?.(work, landfall);
  } finally {
    // Until then the job stays in hand: another process would not know of what is still on its way.
    await driver.idle?.(work);
  }
}

/** What there is to do in each status; in the others nothing. */
const moves: Partial<Record<RequestState["status"], (work: Work, landfall: Landfall) => Promise<void>>> = {
  PROVISIONING: provision,
  ROLLING_BACK: rollBack,
  ACTIVE: (work) => settle(work, (signal) => work.driver.resume(work, signal)),
  SUSPENDED: (work) => settle(work, (signal) => work.driver.suspend(work, signal)),
  DEPROVISIONING: destroy,
};

async function provision(work: Work, { world }: Landfall): Promise<void> {
  const { request: state, driver, tell } = work;
  const cleaned = state.leftovers.length > 0;
  if (cleaned) await cleanUp(work);
  const step = state.currentStep as Step;
  const run = { step, attempt: state.retryCount + 1 };
  try {
    const { output, repeated } = await withDeadline(
      cleaned ? limitMs(work) : stepLeftMs(work, world.now()),
      work.signal,
      (signal) => driver.step(step, work, signal),
    );
    const result = { ...sealOutput(world.vault, { output }), run };
    await tell(request.advance, result);
    if (repeated) await tell(request.advance, result);
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    await tell(request.fail, { ...faultOf(work, error), run });
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

/** How long a driver may take for one call, in milliseconds: the cluster's `stepTimeoutSeconds`, or 900 seconds. */
function limitMs({ site }: Work): number {
  const seconds = site.metadata["stepTimeoutSeconds"];
  return 1000 * (typeof seconds === "number" && seconds > 0 ? seconds : defaultStepTimeoutSeconds);
}

/** A step's time runs from when it began, whichever process began it. */
function stepLeftMs(work: Work, now: Date): number {
  const { steps, currentStep } = work.request;
  const startedAt = steps.find(({ step }) => step === currentStep)?.startedAt;
  return startedAt ? Math.max(Date.parse(startedAt) + limitMs(work) - now.getTime(), 0) : limitMs(work);
}

/** Undoes steps, the last first, up to the first that can't be. */
async function undo(work: Work, steps: Step[]): Promise<{ undone: Step[]; error: DriverError | null }> {
  const undone: Step[] = [];
  for (const step of [...steps].reverse()) {
    try {
      await withDeadline(limitMs(work), work.signal, (signal) => work.driver.undo(step, work, signal));
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
  await work.tell(request["rollback-failed"], { undone, error: faultOf(work, error) });
}

/** What is the operators' affair: how a cluster is set up and signed in to. Its test-connection tells them. */
const ofOperators = /^(CREDENTIALS_|AUTHENTICATION_|CLUSTER_|SERVICE_MISSING)/;

/** A fault as its tenant reads it; the log has it whole. */
function faultOf({ log, request: { id, clusterId } }: Work, error: DriverError): Fault {
  const { code, message, cause } = error;
  log.warn("driver fault", { requestId: id, clusterId, code, fault: message, cause });
  return {
    code,
    message: ofOperators.test(code) ? "The cluster can't be worked with at the moment." : message,
  };
}

async function settle(work: Work, act: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const { status, settledStatus, leftovers } = work.request;
  if (leftovers.length > 0) await cleanUp(work);
  if (settledStatus === status) return;
  await shown(work, () => withDeadline(limitMs(work), work.signal, act));
  await work.tell(request.settle, { settledStatus: status, error: null });
}

async function destroy(work: Work): Promise<void> {
  await shown(work, () =>
    withDeadline(limitMs(work), work.signal, (signal) => work.driver.destroy(work, signal)),
  );
  await work.tell(request.deprovisioned, {});
}

/** Shows a driver's fault in the request's `error`; the job is tried again. */
async function shown(work: Work, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (error instanceof DriverError) await work.tell(request.settle, { error: faultOf(work, error) });
    throw error;
  }
}
