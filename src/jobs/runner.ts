import { setTimeout as delay } from "node:timers/promises";
import { isConnectionError, Unavailable, type World } from "../../schema/world.ts";
import { type ClaimedJob, claimDue, finish, release, renew, stillOurs } from "./leases.ts";

/** How one kind of job is done. It looks at the record as it is now; it may be repeated after a crash. */
export interface JobKind {
  readonly kind: string;
  /** `signal` ends the work when the job was ordered again, its lease was lost, or the program stops. */
  run(job: ClaimedJob, signal: AbortSignal): Promise<void>;
}

/** Milliseconds before the next try after so many failures: from 1 s, doubling, up to 5 minutes. */
export const retryDelayMs = (failures: number): number => Math.min(1000 * 2 ** (failures - 1), 300_000);

/** How long work that can't be cut off may take when the program stops; after that its lease lapses. */
const graceMs = 3000;

const maxRunning = 128;
const pollMs = 1000;

/** The one runner of everything that happens later or outside. `stop()` ends the work under way; others take it over. */
export function startJobs(
  world: World,
  kinds: readonly JobKind[],
): { readonly inFlight: number; stop(): Promise<void> } {
  const running = new Map<number, { job: ClaimedJob; abort: AbortController; done: Promise<void> }>();
  const names = kinds.map(({ kind }) => kind);
  let stopped = false;
  let renewalDueMs = 0;
  let wake = () => {};
  const unsubscribe = world.waker.on("jobs", () => wake());

  async function perform(kind: JobKind, job: ClaimedJob, abort: AbortController): Promise<void> {
    try {
      await kind.run(job, abort.signal);
      await finish(world, job);
    } catch (error) {
      if (abort.signal.aborted || error instanceof Unavailable || isConnectionError(error))
        return release(world, job);
      world.log.warn("job failed", { kind: job.kind, key: job.key, correlationId: job.correlationId, error });
      await release(world, job, { error: String(error), dueInMs: retryDelayMs(job.attempt + 1) });
    }
  }
  function begin(job: ClaimedJob): void {
    const kind = kinds.find((each) => each.kind === job.kind) as JobKind;
    const abort = new AbortController();
    const done = perform(kind, job, abort)
      .catch((error) => world.log.warn("job left to its lease", { kind: job.kind, key: job.key, error }))
      .finally(() => {
        running.delete(job.id);
        wake();
      });
    running.set(job.id, { job, abort, done });
  }
  async function round(): Promise<void> {
    if (performance.now() >= renewalDueMs) {
      await renew(world, [...running.keys()]);
      renewalDueMs = performance.now() + pollMs;
    }
    const inHand = [...running.values()].map(({ job }) => job);
    const ours = await stillOurs(world, inHand);
    for (const { id } of inHand)
      if (!ours.has(id)) running.get(id)?.abort.abort(new Error("It was ordered again."));
    if (running.size >= maxRunning) return;
    for (const job of await claimDue(world, names, maxRunning - running.size, [...running.keys()]))
      begin(job);
  }
  async function loop(): Promise<void> {
    while (!stopped) {
      const woken = new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pollMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      await round().catch((error) => world.log.debug("jobs wait", { error }));
      await woken;
    }
  }
  const ended = loop();
  return {
    get inFlight() {
      return running.size;
    },
    async stop() {
      stopped = true;
      unsubscribe();
      wake();
      await ended;
      for (const { abort } of running.values()) abort.abort(new Error("The program stops."));
      const done = Promise.all([...running.values()].map(({ done }) => done));
      await Promise.race([done, delay(graceMs, undefined, { ref: false })]);
    },
  };
}
