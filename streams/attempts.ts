import { Unavailable, type World } from "../schema/world.ts";
import { createAcknowledge } from "./acknowledge.ts";
import { claim, entryKey, orphanIdleMs } from "./claims.ts";
import { deliveryOf, type Entry, letterOf } from "./delivery.ts";
import type { Group, Letter } from "./group.ts";
import { createPauses, insist } from "./pauses.ts";
import { retryDelaysMs, streamOf, topics } from "./topics.ts";

/** The entries that this consumer has in hand. */
export interface Attempts {
  /** Begins to handle the entries, in this order and without waiting for them. Those in hand already are skipped. */
  begin(entries: readonly Entry[]): void;
  /** The keys of the entries in hand, from the first try until the acknowledgement. */
  readonly known: ReadonlySet<string>;
  /** How many more may begin now; none while the handler finds a server away. */
  readonly room: number;
  /** Resolves when there may be room; look again. */
  roomChanged(): Promise<void>;
  /** Awaits the handlers that run; what waits for its next try is left for other consumers. */
  finish(): Promise<void>;
}

const limit = 1000;

/** Sees each entry through its tries: handled and acknowledged in the end, or buried and acknowledged. */
export function createAttempts(
  world: World,
  group: Group,
  bury: (letter: Letter) => Promise<void>,
): Attempts {
  const pauses = createPauses();
  const roomPauses = createPauses();
  const known = new Set<string>();
  const running = new Set<Promise<void>>();
  let handling = 0;
  // While a server is away one entry tries on, and the others wait for it.
  let probe: Promise<Error | undefined> | undefined;
  const acknowledge = createAcknowledge(world, group.name, pauses);

  const attempt = async (entry: Entry): Promise<Error | undefined> => {
    handling += 1;
    try {
      await group.handle(deliveryOf(group.name, entry));
      return undefined;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    } finally {
      handling -= 1;
      roomPauses.wake();
    }
  };

  /** Gives the error of a failed try; throws `Unavailable` only when the consumer stops. */
  const attemptWhenAvailable = async (entry: Entry): Promise<Error | undefined> => {
    for (;;) {
      if (probe) await probe.catch(() => {});
      const outcome = await attempt(entry);
      if (!(outcome instanceof Unavailable)) return outcome;
      if (pauses.ended) throw outcome;
      if (probe) continue;
      world.log.warn("A consumer waits", { group: group.name, error: outcome });
      probe = insist(pauses, async () => {
        const next = await attempt(entry);
        if (next instanceof Unavailable) throw next;
        return next;
      }).finally(() => {
        probe = undefined;
        roomPauses.wake();
      });
      return await probe;
    }
  };

  const seeThrough = async (entry: Entry): Promise<void> => {
    const delaysMs = retryDelaysMs[topics[entry.topic].retry];
    let minIdleMs = orphanIdleMs;
    for (;;) {
      if (entry.text === undefined) {
        const mine = await insist(pauses, () => claim(world, group.name, entry, minIdleMs));
        if (!mine) return;
      }
      const error = await attemptWhenAvailable(entry);
      if (error === undefined) break;
      const failedAt = world.now();
      entry.firstFailedAt ??= failedAt;
      const delayMs = delaysMs[entry.deliveries - 1];
      if (delayMs === undefined) {
        await insist(
          pauses,
          async () => bury(await letterOf(world, group.name, entry, error, failedAt)),
          (cause) =>
            world.log.error("A dead letter waits", { group: group.name, id: entry.id, error: cause }),
        );
        break;
      }
      entry.text = undefined; // thousands may wait
      await pauses.pause(delayMs);
      if (pauses.ended) return;
      minIdleMs = Math.floor(0.9 * delayMs); // less: another consumer has taken it meanwhile
    }
    await acknowledge(streamOf(world.platform, entry.topic), entry.id);
  };

  return {
    known,
    begin(entries) {
      for (const entry of entries) {
        const key = entryKey(entry);
        if (known.has(key)) continue;
        known.add(key);
        const run = seeThrough(entry)
          // Ends so only when the consumer stops: the entry stays pending.
          .catch((error) => world.log.debug("An entry is left", { group: group.name, id: entry.id, error }))
          .finally(() => {
            known.delete(key);
            running.delete(run);
          });
        running.add(run);
      }
    },
    get room() {
      return probe ? 0 : Math.max(0, limit - handling);
    },
    roomChanged: () => roomPauses.pause(1000),
    async finish() {
      pauses.end();
      roomPauses.end();
      await Promise.all(running);
    },
  };
}
