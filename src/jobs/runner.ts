import { Unavailable, type World } from "../../schema/world.ts";
import { type ClaimedJob, claimDue, finish, release, stillOurs } from "./leases.ts";

/** How one kind of job is done. It looks at the record as it is now; it may be repeated after a crash. */
export interface JobKind {
  readonly kind: string;
  /** `signal` ends the work when the job was ordered again, its lease was lost, or the program stops. */
  run(job: ClaimedJob, signal: AbortSignal): Promise<void>;
}

/** Milliseconds before the next try after so many failures: from 1 s, doubling, up to 5 minutes. */
export const retryDelayMs = (failures: number): number => Math.min(1000 * 2 ** (failures - 1), 300_000);

const maxRunning = 128;
const pollMs = 1000;

/** The one runner of everything that happens later or outside. `stop()` ends the work under way; others take it over. */
export function startJobs(
  world: World,
  kinds: readonly JobKind[],
): { stop(): Promise<void>; running(): number } {
  const running = new Map<number, { job: ClaimedJob; abort: AbortController; done: Promise<void> }>();
  let stopped = false;
  let wake = () => {};
  const unsubscribe = world.waker.on("jobs", () => wake());

  async function perform(kind: JobKind, job: ClaimedJob, abort: AbortController): Promise<void> {
    try {
      await kind.run(job, abort.signal);
      await finish(world, job);
    } catch (error) {
      if (abort.signal.aborted || error instanceof Unavailable) return release(world, job);
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
    const ours = await stillOurs(
      world,
      [...running.values()].map(({ job }) => job),
    );
    for (const [id, { abort }] of running)
      if (!ours.has(id)) abort.abort(new Error("The job was ordered again."));
    const free = maxRunning - running.size;
    if (free > 0)
      for (const job of await claimDue(
        world,
        kinds.map(({ kind }) => kind),
        free,
      ))
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
    running: () => running.size,
    async stop() {
      stopped = true;
      unsubscribe();
      wake();
      await ended;
      for (const { abort } of running.values()) abort.abort(new Error("The program stops."));
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}
