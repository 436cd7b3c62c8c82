import type { Redis } from "ioredis";
import type { World } from "../schema/world.ts";
import { type Attempts, createAttempts } from "./attempts.ts";
import { findOrphans, heartbeatMs, showAlive, showGone, textOf } from "./claims.ts";
import { renewGroups } from "./cursor.ts";
import { type Entry, seqOf } from "./delivery.ts";
import type { Envelope } from "./envelope.ts";
import { createPauses, type Pauses } from "./pauses.ts";
import { streamOf, type Topic } from "./topics.ts";

/** A consumer group by its name, and what it listens to. */
export interface GroupDeclaration {
  readonly name: string;
  readonly topics: readonly Topic[];
}

/** One event for one group; envelope and data are what the topic promises. */
export interface Delivery {
  readonly group: string;
  readonly topic: Topic;
  readonly seq: number;
  readonly envelope: Envelope;
}

export interface Group extends GroupDeclaration {
  /**
   * Resolves when the effects and (group, eventId) are committed; the same event may come again. Rejects with
   * `Unavailable` when a server is away, which is no attempt, or with what counts as a failed one.
   */
  handle(delivery: Delivery): Promise<void>;
}

/** What is kept of an event that failed for the last time. */
export interface Letter {
  /** The stream's full name. */
  readonly topic: string;
  readonly group: string;
  readonly eventId: string;
  readonly eventType: string;
  /** As it was published, valid or not. */
  readonly envelope: string;
  readonly attempts: number;
  readonly firstFailedAt: Date;
  readonly lastFailedAt: Date;
  readonly error: string;
}

const readCount = 200;
const blockMs = 250; // how long a stop may have to wait
const answerTimeoutMs = 5000;

/**
 * Hands the group's events to its handler, several at a time, until `stop`. A failed one is tried again after the
 * delays of its topic's class and then buried; it never holds up the others. `bury` is repeated until it
 * resolves, and may be called again for the same (group, eventId) after a crash. What dead consumers of the
 * group leave behind is taken over within some seconds.
 */
export function startGroup(
  world: World,
  group: Group,
  bury: (letter: Letter) => Promise<void>,
): { stop(): Promise<void> } {
  const pauses = createPauses();
  const reader = world.connectRedis();
  const attempts = createAttempts(world, group, bury);
  const watching = watch(world, group, attempts, pauses);
  const reading = read(world, group, attempts, pauses, reader);
  return {
    async stop() {
      pauses.end();
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, 4 * blockMs);
      // While ioredis waits to connect again, a read never settles, not even by `disconnect`.
      await Promise.all([Promise.race([reading, late.promise]), watching]);
      clearTimeout(timer);
      reader.disconnect();
      await attempts.finish();
      await showGone(world, group.name).catch(() => {}); // without Redis it lapses
    },
  };
}

async function read(
  world: World,
  group: Group,
  attempts: Attempts,
  pauses: Pauses,
  reader: Redis,
): Promise<void> {
  while (!pauses.ended) {
    if (attempts.room === 0) {
      await attempts.roomChanged();
      continue;
    }
    try {
      attempts.begin(await readEntries(world, group, reader, attempts.room));
    } catch (error) {
      if (!pauses.ended) await repair(world, group, error);
      await pauses.pause(100);
    }
  }
}

/** At most about `room` new entries of all topics, in order. */
async function readEntries(world: World, group: Group, reader: Redis, room: number): Promise<Entry[]> {
  const streams = group.topics.map((topic) => streamOf(world.platform, topic));
  const count = Math.min(readCount, Math.ceil(room / streams.length));
  // A connection that died without a word would keep the reader waiting for ever.
  const late = setTimeout(() => reader.disconnect(true), blockMs + answerTimeoutMs);
  const found = await reader
    .xreadgroup(
      ...(["GROUP", group.name, world.instance, "COUNT", count, "BLOCK", blockMs, "STREAMS"] as const),
      ...[...streams, ...streams.map(() => ">")],
    )
    .finally(() => clearTimeout(late));
  const entries = (found ?? []).flatMap(([stream, items]) => {
    const topic = group.topics[streams.indexOf(stream)] as Topic;
    return items.map(([id, fields]) => ({ topic, id, text: textOf(fields ?? []), deliveries: 1 }));
  });
  return entries.sort((a, b) => seqOf(a) - seqOf(b));
}

/** Redis lost the group: it is made again, and the relay feeds it from the lowest mark. */
async function repair(world: World, group: Group, error: unknown): Promise<void> {
  const groupIsLost = error instanceof Error && /^(NOGROUP|UNBLOCKED)/.test(error.message);
  if (!groupIsLost) return world.log.warn("A consumer cannot read", { group: group.name, error });
  await renewGroups(world, [group]).then(
    () => world.waker.wake("relay"),
    (cause) => world.log.warn("A consumer cannot make its group", { group: group.name, error: cause }),
  );
}

/** Shows each second that this consumer lives, and takes up what nobody works on. */
async function watch(world: World, group: Group, attempts: Attempts, pauses: Pauses): Promise<void> {
  // After a time without Redis the others need a moment as well to show that they live.
  let seenLast = false;
  while (!pauses.ended) {
    try {
      await showAlive(world, group.name);
      if (seenLast && attempts.room > 0) {
        attempts.begin(await findOrphans(world, group, attempts.known, attempts.room));
      }
      seenLast = true;
    } catch (error) {
      seenLast = false;
      world.log.warn("A consumer cannot look for orphans", { group: group.name, error });
    }
    await pauses.pause(heartbeatMs);
  }
}
