import type { ResultSetHeader, RowDataPacket } from "mysql2";
import type { World } from "../../schema/world.ts";

/** A job that this process may do until its lease ends. */
export interface ClaimedJob {
  readonly id: number;
  readonly kind: string;
  readonly key: string;
  readonly payload: Record<string, unknown> | null;
  readonly attempt: number;
  /** Moves on when the job is ordered again. */
  readonly revision: number;
  readonly requestId: string;
  readonly correlationId: string;
}

const leaseSeconds = 10;

/**
 * Claims up to `limit` due jobs of these kinds, the longest due first. Those whose lease has lapsed are taken over,
 * and those of this process that it does not have in hand: it could not give them back, or never learnt of them.
 */
export async function claimDue(
  world: World,
  kinds: string[],
  limit: number,
  inHand: number[],
): Promise<ClaimedJob[]> {
  const now = world.now();
  const connection = await world.pool.getConnection();
  try {
    await connection.beginTransaction();
    const [due] = await connection.query<(RowDataPacket & ClaimedJob)[]>(
      `SELECT id, kind, CAST(\`key\` AS CHAR) AS \`key\`, payload, attempt, revision,
              CAST(requestId AS CHAR) AS requestId, CAST(correlationId AS CHAR) AS correlationId
         FROM jobs WHERE dueAt <= ? AND (leaseUntil IS NULL OR leaseUntil < ? OR (leaseOwner = ? AND id NOT IN (?)))
          AND kind IN (?)
        ORDER BY dueAt LIMIT ? FOR UPDATE SKIP LOCKED`,
      [now, now, world.instance, [0, ...inHand], kinds, limit],
    );
    if (due.length > 0) {
      await connection.query("UPDATE jobs SET leaseOwner = ?, leaseUntil = ? WHERE id IN (?)", [
        world.instance,
        later(now),
        due.map(({ id }) => id),
      ]);
    }
    await connection.commit();
    return due;
  } catch (error) {
    await connection.rollback().catch(() => {});
    throw error;
  } finally {
    connection.release();
  }
}

/** Makes the leases of running jobs last again. */
export async function renew(world: World, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await world.pool.query("UPDATE jobs SET leaseUntil = ? WHERE id IN (?) AND leaseOwner = ?", [
    later(world.now()),
    ids,
    world.instance,
  ]);
}

/** Which of the running jobs are still ours and were not ordered again. */
export async function stillOurs(world: World, running: readonly ClaimedJob[]): Promise<Set<number>> {
  if (running.length === 0) return new Set();
  const [rows] = await world.pool.query<(RowDataPacket & { id: number; revision: number })[]>(
    "SELECT id, revision FROM jobs WHERE id IN (?) AND leaseOwner = ?",
    [running.map(({ id }) => id), world.instance],
  );
  const revisions = new Map(rows.map(({ id, revision }) => [id, revision]));
  return new Set(running.filter(({ id, revision }) => revisions.get(id) === revision).map(({ id }) => id));
}

/** The job is done, unless it was ordered again meanwhile: then it is due at once. */
export async function finish(world: World, { id, revision }: ClaimedJob): Promise<void> {
  const [{ affectedRows }] = await world.pool.query<ResultSetHeader>(
    "DELETE FROM jobs WHERE id = ? AND revision = ? AND leaseOwner = ?",
    [id, revision, world.instance],
  );
  if (affectedRows === 0) await giveBack(world, id);
}

/** Gives the job back; with a failure it is due again later, unless it was ordered again meanwhile. */
export async function release(
  world: World,
  { id, revision }: ClaimedJob,
  failed?: { error: string; dueInMs: number },
): Promise<void> {
  if (failed) {
    await world.pool.query(
      "UPDATE jobs SET attempt = attempt + 1, error = ?, dueAt = ? WHERE id = ? AND revision = ? AND leaseOwner = ?",
      [failed.error, new Date(world.now().getTime() + failed.dueInMs), id, revision, world.instance],
    );
  }
  await giveBack(world, id);
}

const giveBack = (world: World, id: number) =>
  world.pool.query("UPDATE jobs SET leaseOwner = NULL, leaseUntil = NULL WHERE id = ? AND leaseOwner = ?", [
    id,
    world.instance,
  ]);

const later = (now: Date) => new Date(now.getTime() + leaseSeconds * 1000);
