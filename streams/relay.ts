import { type Connection, createConnection, type RowDataPacket } from "mysql2/promise";
import { sessionSettings, type World } from "../schema/world.ts";
import { cursorKey, renewGroups } from "./cursor.ts";
import type { GroupDeclaration } from "./group.ts";
import { lowestMark, saveMarks } from "./marks.ts";
import {
  eventsAfter,
  lastStamped,
  neverStampBelow,
  renumber,
  type StampedEvent,
  stamp,
  stepSize,
} from "./outbox.ts";
import { createPauses, type Pauses, repeat } from "./pauses.ts";
import { ForeignEntry, publish } from "./publish.ts";
import { startRetention } from "./retention.ts";
import { streamOf } from "./topics.ts";

export interface Relay {
  /** Ends the relay after the step in hand; another process takes the lead within a second. */
  stop(): Promise<void>;
}

const pollMs = 1000;
const gatherMs = 5;
/** Events in one step from which the relay counts as under load. */
const loaded = 16;
const retryMs = 250;
// Frees the lock of a machine that vanished, whose connection the server would otherwise keep for hours.
const lockTimeout = "SET SESSION wait_timeout = 10";

/**
 * Publishes the events of the outbox, each once and in order, whichever of the processes that run a relay leads.
 * Without MySQL or Redis it waits and goes on when they are back. `groups` are all groups of the installation:
 * nothing is trimmed that one of them has not handled.
 */
export function startRelay(world: World, groups: readonly GroupDeclaration[]): Relay {
  const pauses = createPauses();
  const readByGroups = new Set(
    groups.flatMap((group) => group.topics.map((topic) => streamOf(world.platform, topic))),
  );
  const run = async () => {
    while (!pauses.ended) {
      try {
        await withLead(world, pauses, async (connection) => {
          const reader = await connect(world);
          const leader = {
            world,
            groups,
            readByGroups,
            pauses,
            connection,
            reader,
            cursor: -1,
            lastStamped: 0,
          };
          await lead(leader).finally(() => reader.destroy());
        });
      } catch (error) {
        world.log.warn("The relay lost MySQL or Redis", { error });
        await pauses.pause(retryMs);
      }
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

/** Runs `work` while this process holds the lock, which lives and dies with the connection given to it. */
async function withLead(
  world: World,
  pauses: Pauses,
  work: (connection: Connection) => Promise<void>,
): Promise<void> {
  const connection = await connect(world);
  try {
    await connection.query(lockTimeout);
    while (!pauses.ended) {
      const [rows] = await connection.query<RowDataPacket[]>(
        "SELECT GET_LOCK(CONCAT('relay.', MD5(CONCAT(DATABASE(), '.', ?))), 0) AS held",
        [world.platform],
      );
      if (rows[0]?.["held"] === 1) return await work(connection);
      await pauses.pause(pollMs);
    }
  } finally {
    connection.destroy();
  }
}

async function connect(world: World): Promise<Connection> {
  const connection = await createConnection({ ...world.mysql, multipleStatements: true });
  connection.on("error", () => {}); // the next query fails with it
  for (const statement of sessionSettings) await connection.query(statement);
  return connection;
}

interface Leader {
  readonly world: World;
  readonly groups: readonly GroupDeclaration[];
  /** The streams that a group reads. */
  readonly readByGroups: ReadonlySet<string>;
  readonly pauses: Pauses;
  /** Holds the lock, and numbers. */
  readonly connection: Connection;
  /** Reads what is to be published. Not of the pool, which others may keep waiting. */
  readonly reader: Connection;
  /** The last seq published, as far as known here. */
  cursor: number;
  lastStamped: number;
}

async function lead(leader: Leader): Promise<void> {
  const { world, groups, pauses, connection } = leader;
  let woken = false;
  const deafen = world.waker.on("relay", () => {
    woken = true;
    pauses.wake();
  });
  const beside = [
    startRetention(world, groups),
    repeat(world, "Saving marks", pollMs, () => saveMarks(world, world.pool, groups)),
  ];
  try {
    await advance(leader, []);
    leader.lastStamped = await lastStamped(connection);
    while (!pauses.ended) {
      woken = false;
      // Side by side: while the next events get their numbers, those that have theirs are published.
      const [stamped, published] = await Promise.all([number(leader), feed(leader)]);
      // Under load the next ones gather for a moment, so that many share the cost of a commit.
      if (stamped >= loaded && stamped < stepSize) await Bun.sleep(gatherMs);
      const idle = stamped === 0 && published < stepSize;
      if (idle && !woken) await pauses.pause(pollMs);
    }
  } finally {
    deafen();
    await Promise.all(beside.map((part) => part.stop()));
  }
}

/** Numbers the next events; gives how many. */
async function number(leader: Leader): Promise<number> {
  const stamped = await stamp(leader.connection);
  leader.lastStamped = Math.max(leader.lastStamped, stamped?.last ?? 0);
  return stamped?.count ?? 0;
}

/** Publishes the next events; gives how many. */
async function feed(leader: Leader): Promise<number> {
  const events = await eventsAfter(leader.reader, leader.cursor);
  await advance(leader, events);
  return events.length;
}

/** Publishes the events, which follow the cursor, and goes on from wherever Redis has the cursor then. */
async function advance(leader: Leader, events: readonly StampedEvent[]): Promise<void> {
  const { world, connection } = leader;
  try {
    const cursor = (await publish(world, leader.cursor, events, leader)) ?? (await recover(leader));
    if (cursor > (events.at(-1)?.seq ?? leader.cursor)) {
      await neverStampBelow(connection, cursor);
      leader.lastStamped = Math.max(leader.lastStamped, cursor);
    }
    leader.cursor = cursor;
  } catch (error) {
    if (!(error instanceof ForeignEntry)) throw error;
    world.log.warn("The relay numbers its events above entries added by others", { error });
    await renumber(connection, leader.cursor, error.seq);
    leader.lastStamped = error.seq;
  }
}

/** Redis has lost its data, or never had any: makes the groups and sets the cursor where all have handled all. */
async function recover({ world, groups, connection }: Leader): Promise<number> {
  const lowest = await lowestMark(connection, groups);
  await renewGroups(world, groups);
  await world.redis.set(cursorKey(world.platform), lowest);
  world.log[lowest > 0 ? "warn" : "debug"]("Redis had no cursor: the groups are made and fed", {
    after: lowest,
  });
  return lowest;
}
