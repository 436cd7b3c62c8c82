import type { ResultSetHeader, RowDataPacket } from "mysql2/promise";
import type { World } from "../schema/world.ts";
import type { GroupDeclaration } from "./group.ts";
import { lowestMark } from "./marks.ts";
import { type Pauses, repeat } from "./pauses.ts";
import { streamOf, type Topic, topics } from "./topics.ts";

const intervalMs = 10_000;
const hourMs = 3_600_000;
const streamRetentionMs = hourMs;
const outboxRetentionMs = 7 * 24 * hourMs;
const appliedRetentionMs = 8 * 24 * hourMs;
const answerRetentionMs = 24 * hourMs;
const sessionRetentionMs = 30 * 24 * hourMs;
const chunkSize = 1000;

/**
 * Removes every ten seconds what is past its time: stream entries after an hour and outbox rows after seven days,
 * both only where every group has handled them; dead letters' entries with their outbox rows; applied events
 * after eight days; answers to idempotency keys after 24 hours; sessions 30 days after their last token.
 */
export const startRetention = (world: World, groups: readonly GroupDeclaration[]) =>
  repeat(world, "Retention", intervalMs, (pauses) => applyRetention(world, groups, pauses));

async function applyRetention(
  world: World,
  groups: readonly GroupDeclaration[],
  pauses: Pauses,
): Promise<void> {
  const handled = await lowestMark(world.pool, groups);
  const before = (retentionMs: number) => new Date(world.now().getTime() - retentionMs);
  await trimStreams(world, Math.min(handled, await lastSeqBefore(world, before(streamRetentionMs))));
  const expired: [string, unknown[]][] = [
    [
      "outbox_events WHERE seq BETWEEN 1 AND ? AND createdAt < ? ORDER BY seq",
      [handled, before(outboxRetentionMs)],
    ],
    // Kept as long as the outbox may feed the event once more.
    [
      `applied_events WHERE at < LEAST(?, (SELECT COALESCE(MIN(createdAt), '9999-01-01') FROM outbox_events))
       ORDER BY at`,
      [before(appliedRetentionMs)],
    ],
    ["idempotent_answers WHERE createdAt < ? ORDER BY createdAt", [before(answerRetentionMs)]],
    ["sessions WHERE expiresAt < ? ORDER BY expiresAt", [before(sessionRetentionMs)]],
  ];
  for (const [rows, values] of expired) await deleteAll(world, rows, values, pauses);
}

async function deleteAll(world: World, rows: string, values: unknown[], pauses: Pauses): Promise<void> {
  let deleted = chunkSize;
  while (deleted === chunkSize && !pauses.ended) {
    const [result] = await world.pool.query<ResultSetHeader>(
      `DELETE FROM ${rows} LIMIT ${chunkSize}`,
      values,
    );
    deleted = result.affectedRows;
  }
}

async function lastSeqBefore(world: World, time: Date): Promise<number> {
  const [rows] = await world.pool.query<RowDataPacket[]>(
    "SELECT seq FROM outbox_events WHERE createdAt < ? AND seq > 0 ORDER BY createdAt DESC, id DESC LIMIT 1",
    [time],
  );
  return Number(rows[0]?.["seq"] ?? 0);
}

async function firstSeq(world: World): Promise<number> {
  const [rows] = await world.pool.query<RowDataPacket[]>(
    "SELECT MIN(seq) AS seq FROM outbox_events WHERE seq > 0",
  );
  return Number(rows[0]?.["seq"] ?? 0);
}

async function trimStreams(world: World, last: number): Promise<void> {
  const firstKept = await firstSeq(world);
  const pipeline = world.redis.pipeline();
  for (const topic of Object.keys(topics) as Topic[]) {
    const stream = streamOf(world.platform, topic);
    pipeline.xtrim(stream, "MINID", "~", `${last + 1}-0`);
    pipeline.xtrim(`${stream}.dlq`, "MINID", "~", `${firstKept}-0`);
  }
  for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
}
