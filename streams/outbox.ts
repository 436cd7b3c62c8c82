import type { Connection, Pool, RowDataPacket } from "mysql2/promise";

/** An event that has its place in the one order of all topics. */
export interface StampedEvent {
  seq: number;
  /** The stream's full name. */
  topic: string;
  /** The envelope as JSON text. */
  envelope: string;
}

// While a backlog is numbered the statistics are always out of date, and a wrong guess reads the whole table.
const bySeq = "FORCE INDEX (outbox_events_seq)";

/** How many events are numbered or published in one step. */
export const stepSize = 500;

/** Numbers the oldest committed events that have no number yet, at most `stepSize`; gives how many and the last number. */
export async function stamp(connection: Connection): Promise<{ count: number; last: number } | undefined> {
  // Plain read first: a locking one would wait for the rows of transactions that are still open.
  const [rows] = await connection.query<RowDataPacket[]>(
    `SELECT id FROM outbox_events ${bySeq} WHERE seq = 0 ORDER BY id LIMIT ?`,
    [stepSize],
  );
  if (rows.length === 0) return undefined;
  const ids = rows.map((row) => row["id"] as number);
  const [results] = await connection.query<RowDataPacket[][]>(
    `START TRANSACTION;
     SELECT seq INTO @before FROM bus_marks WHERE name = 'stamped' FOR UPDATE;
     UPDATE outbox_events SET seq = @before + INTERVAL(id, ${ids.join()}) WHERE id IN (${ids.join()});
     UPDATE bus_marks SET seq = @before + ${ids.length} WHERE name = 'stamped';
     COMMIT;
     SELECT @before + ${ids.length} AS last`,
  );
  const last = Number(results.at(-1)?.[0]?.["last"]);
  return { count: ids.length, last };
}

/** The last number given. */
export async function lastStamped(connection: Connection): Promise<number> {
  const [rows] = await connection.query<RowDataPacket[]>("SELECT seq FROM bus_marks WHERE name = 'stamped'");
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

/** Takes their numbers back from the events after `cursor`; they get new ones above `seq`. */
export async function renumber(connection: Connection, cursor: number, seq: number): Promise<void> {
  await neverStampBelow(connection, seq);
  await connection.query("UPDATE outbox_events SET seq = 0 WHERE seq > ?", [cursor]);
}

/** The events that follow `seq`, at most `stepSize`. */
export async function eventsAfter(connection: Connection, seq: number): Promise<StampedEvent[]> {
  const [rows] = await connection.query<RowDataPacket[]>(
    `SELECT seq, topic, envelope FROM outbox_events ${bySeq} WHERE seq > ? ORDER BY seq LIMIT ?`,
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
