import type { ChainableCommander } from "ioredis";
import type { World } from "../schema/world.ts";
import { type Entry, seqOf } from "./delivery.ts";
import type { GroupDeclaration } from "./group.ts";
import { storedEvent } from "./outbox.ts";
import { streamOf, type Topic } from "./topics.ts";

/** How often a consumer shows that it lives, in milliseconds; three times that after the last sign it counts as dead. */
export const heartbeatMs = 1000;
/** An entry that its consumer was given less than this ago is not taken from it. */
export const orphanIdleMs = 1000;

/** What names an entry within its group. */
export const entryKey = (entry: { topic: Topic; id: string }): string => `${entry.topic} ${entry.id}`;

const heartbeatKey = (world: World, group: string, consumer: string) =>
  `${world.platform}.consumer.${group}.${consumer}`;

/** Shows the other consumers that this one lives. */
export async function showAlive(world: World, group: string): Promise<void> {
  await world.redis.set(heartbeatKey(world, group, world.instance), "", "PX", 3 * heartbeatMs);
}

/** Lets the others take over at once what this consumer leaves. */
export async function showGone(world: World, group: string): Promise<void> {
  await world.redis.del(heartbeatKey(world, group, world.instance));
}

/**
 * Makes the entry this consumer's, counts the delivery and fills in the text. False when there is nothing to do:
 * another consumer took or acknowledged it less than `minIdleMs` ago, or Redis has lost the group and will be fed again.
 */
export async function claim(world: World, group: string, entry: Entry, minIdleMs: number): Promise<boolean> {
  const stream = streamOf(world.platform, entry.topic);
  const [[, fields] = []] = await world.redis.xrange(stream, entry.id, entry.id);
  if (fields === undefined) return await recall(world, group, entry);
  // Only now: to claim an entry that is no longer in the stream would drop it from the pending ones.
  const claimed = await unlessGroupIsLost([], () =>
    world.redis.xclaim(stream, group, world.instance, minIdleMs, entry.id),
  );
  if (claimed.length === 0) return false;
  entry.text = textOf(fields);
  entry.deliveries += 1;
  return true;
}

/** The envelope among the fields of a stream entry; empty, and so refused later, when there is none. */
export const textOf = (fields: readonly string[]): string => fields[fields.indexOf("envelope") + 1] ?? "";

/** An entry trimmed while it was pending: read again from the outbox, in its consumer's name, and counted here only. */
async function recall(world: World, group: string, entry: Entry): Promise<boolean> {
  const stream = streamOf(world.platform, entry.topic);
  const pending = await unlessGroupIsLost([], () =>
    world.redis.xpending(stream, group, entry.id, entry.id, 1),
  );
  if (pending.length === 0) return false;
  entry.text = (await storedEvent(world.pool, seqOf(entry)))?.envelope;
  entry.deliveries += 1;
  if (entry.text !== undefined) return true;
  world.log.warn("A pending event is gone from stream and outbox", { group, stream, id: entry.id });
  await world.redis.xack(stream, group, entry.id);
  return false;
}

async function unlessGroupIsLost<T>(otherwise: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("NOGROUP")) return otherwise;
    throw error;
  }
}

interface Consumer {
  readonly topic: Topic;
  readonly name: string;
  readonly pending: number;
}

/**
 * The entries, at most about `limit` a topic, that nobody works on: those of dead consumers, and those that Redis
 * gave to this one in an answer that was lost. `known` holds the keys of those in hand. Removes dead consumers
 * that have none.
 */
export async function findOrphans(
  world: World,
  group: GroupDeclaration,
  known: ReadonlySet<string>,
  limit: number,
): Promise<Entry[]> {
  const consumers = await consumersOf(world, group);
  const own = consumers.filter((consumer) => consumer.name === world.instance);
  const ownPending = own.reduce((sum, consumer) => sum + consumer.pending, 0);
  const dead = await deadAmong(world, group.name, consumers);
  const suspects = [...dead, ...(ownPending > known.size ? own : [])];
  const pipeline = world.redis.pipeline();
  const owned = suspects.filter((consumer) => consumer.pending > 0);
  for (const { topic, name } of owned) {
    const stream = streamOf(world.platform, topic);
    pipeline.xpending(stream, group.name, "IDLE", orphanIdleMs, "-", "+", limit + known.size, name);
  }
  const lists = await replies<[id: string, name: string, idleMs: number, deliveries: number][]>(pipeline);
  await removeEmpty(
    world,
    group.name,
    dead.filter((consumer) => consumer.pending === 0),
  );
  return owned
    .flatMap(({ topic }, index) =>
      (lists[index] ?? []).map(([id, , , deliveries]) => ({ topic, id, deliveries, text: undefined })),
    )
    .filter((entry) => !known.has(entryKey(entry)))
    .sort((a, b) => seqOf(a) - seqOf(b));
}

async function consumersOf(world: World, group: GroupDeclaration): Promise<Consumer[]> {
  const pipeline = world.redis.pipeline();
  for (const topic of group.topics) pipeline.xinfo("CONSUMERS", streamOf(world.platform, topic), group.name);
  const lists = await replies<(string | number)[][]>(pipeline);
  return group.topics.flatMap((topic, index) =>
    (lists[index] ?? []).map((fields) => ({
      topic,
      name: String(fields[fields.indexOf("name") + 1]),
      pending: Number(fields[fields.indexOf("pending") + 1]),
    })),
  );
}

async function deadAmong(world: World, group: string, consumers: Consumer[]): Promise<Consumer[]> {
  const others = consumers.filter((consumer) => consumer.name !== world.instance);
  const pipeline = world.redis.pipeline();
  for (const { name } of others) pipeline.exists(heartbeatKey(world, group, name));
  const alive = await replies<number>(pipeline);
  return others.filter((_, index) => alive[index] === 0);
}

// In one step, since removing a consumer drops what it was given meanwhile.
const removeScript = `
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
if #redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 1, ARGV[2]) > 0 then return 0 end
return redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2])`;

async function removeEmpty(world: World, group: string, consumers: Consumer[]): Promise<void> {
  const pipeline = world.redis.pipeline();
  for (const { topic, name } of consumers) {
    const stream = streamOf(world.platform, topic);
    pipeline.eval(removeScript, 2, stream, heartbeatKey(world, group, name), group, name);
  }
  await replies(pipeline);
}

/** The answers of a pipeline, undefined where a command failed because its group is not there; throws other errors. */
async function replies<T>(pipeline: ChainableCommander): Promise<(T | undefined)[]> {
  const results = pipeline.length === 0 ? [] : ((await pipeline.exec()) ?? []);
  return results.map(([error, reply]) => {
    if (error && !/NOGROUP|no such key/.test(error.message)) throw error;
    return error ? undefined : (reply as T);
  });
}
