import type { World } from "../schema/world.ts";

/** Waits that can be cut short. */
export interface Pauses {
  /** Resolves after `ms`, or sooner at `wake` or `end`. */
  pause(ms: number): Promise<void>;
  /** Ends the waits of this moment. */
  wake(): void;
  /** Ends all waits, those to come as well. */
  end(): void;
  readonly ended: boolean;
}

export function createPauses(): Pauses {
  const waiting = new Set<() => void>();
  let ended = false;
  const wake = () => {
    for (const finish of [...waiting]) finish();
  };
  return {
    wake,
    end() {
      ended = true;
      wake();
    },
    get ended() {
      return ended;
    },
    pause: (ms) =>
      new Promise((resolve) => {
        if (ended) return resolve();
        const finish = () => {
          clearTimeout(timer);
          waiting.delete(finish);
          resolve();
        };
        const timer = setTimeout(finish, ms);
        waiting.add(finish);
      }),
  };
}

const firstBackoffMs = 50;
const longestBackoffMs = 500;

/** Repeats `work`, with pauses that grow to 500 ms, until it succeeds; throws its error once the pauses have ended. */
export async function insist<T>(
  pauses: Pauses,
  work: () => Promise<T>,
  onFirstError: (error: unknown) => void = () => {},
): Promise<T> {
  for (let backoffMs = firstBackoffMs; ; backoffMs = Math.min(2 * backoffMs, longestBackoffMs)) {
    try {
      return await work();
    } catch (error) {
      if (pauses.ended) throw error;
      if (backoffMs === firstBackoffMs) onFirstError(error);
      await pauses.pause(backoffMs);
    }
  }
}

/** Does `work` now and `intervalMs` after each end, until `stop`; what it throws is logged under `name`. */
export function repeat(
  world: World,
  name: string,
  intervalMs: number,
  work: (pauses: Pauses) => Promise<void>,
): { stop(): Promise<void> } {
  const pauses = createPauses();
  const run = async () => {
    while (!pauses.ended) {
      await work(pauses).catch((error) => world.log.warn(`${name} waits`, { error }));
      await pauses.pause(intervalMs);
    }
  };
  const running = run();
  return {
    stop() {
      pauses.end();
      return running;
    },
  };
}
