import type { RowDataPacket } from "mysql2/promise";
import type { World } from "../schema/world.ts";
import { cursorKey } from "./cursor.ts";
import type { GroupDeclaration } from "./group.ts";
import { lowestMark } from "./marks.ts";
import { streamOf, type Topic } from "./topics.ts";

/** How far a group is behind. */
export interface Lag {
  /** Committed events of its topics that it was not given yet, published or not. */
  readonly lag: number;
  /** Events that it was given and has not acknowledged. */
  readonly pending: number;
}

/** Over all topics of the group; rejects while Redis is away. */
export async function lagOf(world: World, group: GroupDeclaration): Promise<Lag> {
  const mark = await lowestMark(world.pool, [group]);
  const cursor = Number((await world.redis.get(cursorKey(world.platform))) ?? mark);
  const [unpublished, lags] = await Promise.all([
    stored(world, group.topics, "seq = 0 OR seq > ?", [cursor]),
    Promise.all(group.topics.map((topic) => lagIn(world, group, topic, { mark, cursor }))),
  ]);
  return {
    lag: lags.reduce((sum, { lag }) => sum + lag, unpublished),
    pending: lags.reduce((sum, { pending }) => sum + pending, 0),
  };
}

/** What the stream of a topic holds for the group; `mark` is where the group is fed from if Redis has lost it. */
async function lagIn(
  world: World,
  group: GroupDeclaration,
  topic: Topic,
  { mark, cursor }: { mark: number; cursor: number },
): Promise<Lag> {
  const stream = streamOf(world.platform, topic);
  const groups = (await world.redis.xinfo("GROUPS", stream).catch(noneWithoutStream)) as unknown[][];
  const found = groups.map(membersOf).find(({ name }) => name === group.name);
  // Where entries were deleted Redis can't tell the number.
  const lag = found?.["lag"] ?? null;
  const last = found ? Number.parseInt(String(found["last-delivered-id"]), 10) : mark;
  return {
    lag: lag === null ? await stored(world, [topic], "seq > ? AND seq <= ?", [last, cursor]) : Number(lag),
    pending: Number(found?.["pending"] ?? 0),
  };
}

/** Redis answers names and values in turn. */
const membersOf = (answer: unknown[]): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: answer.length / 2 }, (_, i) => answer.slice(2 * i, 2 * i + 2)));

function noneWithoutStream(error: Error): unknown[][] {
  if (error.message.includes("no such key")) return [];
  throw error;
}

/** How many events of these topics the outbox holds with such a seq; 0 is one that has no number yet. */
async function stored(
  { pool, platform }: World,
  topics: readonly Topic[],
  condition: string,
  seqs: number[],
): Promise<number> {
  const streams = topics.map((topic) => streamOf(platform, topic));
  const [rows] = await pool.query<RowDataPacket[]>(
    `SELECT COUNT(*) AS count FROM outbox_events WHERE (${condition}) AND topic IN (?)`,
    [...seqs, streams],
  );
  return Number(rows[0]?.["count"]);
}
