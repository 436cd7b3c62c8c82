import type { Connection, Pool, RowDataPacket } from "mysql2/promise";
import type { World } from "../schema/world.ts";
import { cursorKey } from "./cursor.ts";

/** An event that has its place in the one order of all topics. */
export interface StampedEvent {
  seq: number;
  /** The stream's full name. */
  topic: string;
  /** The envelope as JSON text. */
  envelope: string;
}

/** How many events are numbered or published in one step. */
export const stepSize = 500;

/** Numbers the oldest committed events that have no number yet, at most `stepSize`; gives how many. */
export async function stamp(connection: Connection): Promise<number> {
  // Plain read first: a locking one would wait for the rows of transactions that are still open.
  const [rows] = await connection.query<RowDataPacket[]>(
    "SELECT id FROM outbox_events WHERE seq IS NULL ORDER BY id LIMIT ?",
    [stepSize],
  );
  if (rows.length === 0) return 0;
  const ids = rows.map((row) => row["id"] as number);
  await connection.query("START TRANSACTION");
  const last = await lastStamped(connection);
  await connection.query(
    `UPDATE outbox_events SET seq = ${last} + FIELD(id, ${ids.join()}) WHERE id IN (${ids.join()})`,
  );
  await connection.query("UPDATE bus_marks SET seq = ? WHERE name = 'stamped'", [last + ids.length]);
  await connection.query("COMMIT");
  return ids.length;
}

async function lastStamped(connection: Connection): Promise<number> {
  const [rows] = await connection.query<RowDataPacket[]>(
    "SELECT seq FROM bus_marks WHERE name = 'stamped' FOR UPDATE",
  );
  if (rows[0] === undefined) throw new Error("The mark `stamped` is missing");
  return Number(rows[0]["seq"]);
}

/** Sees to it that no number up to `seq` is given from now on: a database set back must not repeat published ones. */
export async function neverStampBelow(connection: Connection, seq: number): Promise<void> {
  await connection.query(
    `INSERT INTO bus_marks (name, seq) VALUES ('stamped', ?)
     ON DUPLICATE KEY UPDATE seq = GREATEST(seq, VALUES(seq))`,
    [seq],
  );
}

/** The events that follow `seq`, at most `stepSize`. */
export async function eventsAfter(connection: Connection, seq: number): Promise<StampedEvent[]> {
  const [rows] = await connection.query<RowDataPacket[]>(
    "SELECT seq, topic, envelope FROM outbox_events WHERE seq > ? ORDER BY seq LIMIT ?",
    [seq, stepSize],
  );
  return rows.map((row) => ({
    seq: Number(row["seq"]),
    topic: String(row["topic"]),
    envelope: row["envelope"] as string,
  }));
}

/** The event with this number; undefined when the outbox no longer holds it. */
export async function storedEvent(
  pool: Pool,
  seq: number,
): Promise<{ eventId: string; envelope: string } | undefined> {
  const [rows] = await pool.query<RowDataPacket[]>(
    "SELECT eventId, envelope FROM outbox_events WHERE seq = ?",
    [seq],
  );
  return rows[0] as { eventId: string; envelope: string } | undefined;
}

// A stream refuses an id that is not above its last one: it has that event already, since the cursor was set back.
// A stream that a group reads must exist: made anew here, it would hide that its events are lost.
const publishScript = `
local cursor = redis.call('GET', KEYS[1])
if cursor ~= ARGV[1] then return cursor end
for i = 2, #KEYS do
  local seq, envelope, read = unpack(ARGV, 3 * i - 4, 3 * i - 2)
  local added
  if read == '1' then
    added = redis.pcall('XADD', KEYS[i], 'NOMKSTREAM', seq .. '-0', 'envelope', envelope)
  else
    added = redis.pcall('XADD', KEYS[i], seq .. '-0', 'envelope', envelope)
  end
  if not added then
    redis.call('DEL', KEYS[1])
    return false
  end
  if type(added) == 'table' and added.err and not string.find(added.err, 'equal or smaller', 1, true) then
    return added
  end
  cursor = seq
end
redis.call('SET', KEYS[1], cursor)
return cursor`;

/**
 * Adds the events to their streams and moves the cursor on, if it is where the caller expects it; otherwise does
 * nothing. Gives the cursor as it is then; undefined when it is missing, or one of the streams `readByGroups` is.
 */
export async function publish(
  world: World,
  expected: number,
  events: readonly StampedEvent[],
  readByGroups: ReadonlySet<string>,
): Promise<number | undefined> {
  const keys = [cursorKey(world.platform), ...events.map((event) => event.topic)];
  const values = events.flatMap(({ seq, topic, envelope }) => [
    String(seq),
    envelope,
    readByGroups.has(topic) ? "1" : "0",
  ]);
  const cursor = await world.redis.eval(publishScript, keys.length, ...keys, String(expected), ...values);
  return cursor === null ? undefined : Number(cursor);
}
