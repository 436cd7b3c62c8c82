import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { createConnection, type RowDataPacket } from "mysql2/promise";
import { cursorKey } from "../../streams/cursor.ts";
import { startGroup } from "../../streams/group.ts";
import { startRelay } from "../../streams/relay.ts";
import { streamOf } from "../../streams/topics.ts";
import { type Bus, buryNothing, eventOf, eventually, inboxGroup, openBus, sampleTopics } from "./bus.ts";

setDefaultTimeout(20_000);

const seqs = (entries: { id: string }[]) => entries.map((entry) => entry.id);
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}-0`);
const publishedCount = async (bus: Bus) => (await bus.published()).length;

describe("the relay", () => {
  test.concurrent("two relays at once publish each event once, without a gap, in order of commit for an entity", async () => {
    await using bus = await openBus();
    const first = bus.keep(startRelay(bus.world, []));
    bus.keep(startRelay(await bus.addWorld(), []));
    const write = async (subject: string) => {
      for (let sequence = 1; sequence <= 100; sequence++) {
        const topic = sampleTopics[sequence % sampleTopics.length]!;
        await bus.commit([eventOf(topic, subject, sequence)]);
      }
    };
    const writing = Promise.all(["a", "b", "c", "d", "e", "f", "g", "h"].map(write));
    await eventually(async () => (await publishedCount(bus)) > 100);
    await first.stop();
    await writing;
    await eventually(async () => (await publishedCount(bus)) >= 800);

    const entries = await bus.published();
    expect(seqs(entries)).toEqual(numbered(800));
    const lastOf = new Map<string, number>();
    for (const { envelope } of entries) {
      expect(envelope.sequence).toBe((lastOf.get(envelope.subject) ?? 0) + 1);
      lastOf.set(envelope.subject, envelope.sequence);
    }
  });

  test.concurrent("an event committed after later ones is published as well", async () => {
    await using bus = await openBus();
    bus.keep(startRelay(bus.world, []));
    const slow = await createConnection(bus.world.mysql);
    const late = eventOf("support.ticket-created");
    await slow.query("START TRANSACTION");
    await bus.commit([late], slow);
    await bus.commit([eventOf("support.ticket-created"), eventOf("billing.payment-received")]);
    await eventually(async () => (await publishedCount(bus)) === 2);
    await slow.query("COMMIT");
    await slow.end();
    await eventually(async () => (await publishedCount(bus)) === 3);
    const entries = await bus.published();
    expect(seqs(entries)).toEqual(numbered(3));
    expect(entries[2]?.envelope.eventId).toBe(late.eventId);
  });

  test.concurrent("a relay that starts again goes on where the last one stopped", async () => {
    await using bus = await openBus();
    const first = startRelay(bus.world, []);
    await bus.commit([eventOf("support.ticket-created")]);
    await eventually(async () => (await publishedCount(bus)) === 1);
    await first.stop();
    await bus.commit([eventOf("support.ticket-created")]);
    expect(await publishedCount(bus)).toBe(1);
    bus.keep(startRelay(bus.world, []));
    await eventually(async () => (await publishedCount(bus)) === 2);
    expect(seqs(await bus.published())).toEqual(numbered(2));
  });

  test.concurrent("a leader whose connection to MySQL is cut goes on with a new one", async () => {
    await using bus = await openBus();
    bus.keep(startRelay(bus.world, []));
    await bus.commit([eventOf("support.ticket-created")]);
    await eventually(async () => (await publishedCount(bus)) === 1);
    const [rows] = await bus.world.pool.query<RowDataPacket[]>(
      "SELECT IS_USED_LOCK(CONCAT('relay.', MD5(CONCAT(DATABASE(), '.', ?)))) AS id",
      [bus.platform],
    );
    await bus.world.pool.query("KILL ?", [rows[0]?.["id"]]);
    await bus.commit([eventOf("support.ticket-created")]);
    await eventually(async () => (await publishedCount(bus)) === 2);
    expect(seqs(await bus.published())).toEqual(numbered(2));
  });

  test.concurrent("a database set back never gets the same number twice", async () => {
    await using bus = await openBus();
    const relay = startRelay(bus.world, []);
    await bus.commit([eventOf("support.ticket-created"), eventOf("support.ticket-created")]);
    await eventually(async () => (await publishedCount(bus)) === 2);
    await relay.stop();
    await bus.world.pool.query("DELETE FROM outbox_events");
    await bus.world.pool.query("UPDATE bus_marks SET seq = 0");
    bus.keep(startRelay(bus.world, []));
    await bus.commit([eventOf("support.ticket-created")]);
    await eventually(async () => (await publishedCount(bus)) === 3);
    expect(seqs(await bus.published())).toEqual(numbered(3));
  });
});

describe("a stream to which others have added", () => {
  test.concurrent("gives a group their entries, and the relay's events after them", async () => {
    await using bus = await openBus();
    const inbox = inboxGroup("inbox");
    bus.keep(startRelay(bus.world, [inbox.group]));
    bus.keep(startGroup(bus.world, inbox.group, buryNothing));
    await bus.commit([eventOf("support.ticket-created")]);
    await eventually(() => inbox.handled.length === 1);
    const foreign = eventOf("support.ticket-created");
    const stream = streamOf(bus.platform, foreign.topic);
    await bus.world.redis.xadd(stream, "*", "envelope", foreign.envelope);
    const later = sampleTopics.map((topic) => eventOf(topic));
    await bus.commit(later);
    await eventually(() => later.every((row) => inbox.ids().includes(row.eventId)));
    expect(inbox.ids()).toContain(foreign.eventId);
    await bus.commit([eventOf("support.ticket-created")]);
    await eventually(() => new Set(inbox.ids()).size === 6);
    await eventually(async () => (await bus.mark("group:inbox")) === (await bus.mark("stamped")));
  });
});

describe("a Redis that lost data", () => {
  const losses: Record<string, (bus: Bus) => Promise<unknown>> = {
    "its cursor": (bus) => bus.world.redis.del(cursorKey(bus.platform)),
    "its last writes": (bus) => bus.world.redis.set(cursorKey(bus.platform), 3),
    "one stream": (bus) => bus.world.redis.del(streamOf(bus.platform, "support.ticket-created")),
    "one group": (bus) =>
      bus.world.redis.xgroup("DESTROY", streamOf(bus.platform, "support.ticket-created"), "inbox"),
    "all of it": (bus) => bus.wipeRedis(),
  };
  for (const [lost, lose] of Object.entries(losses)) {
    test.concurrent(`having lost ${lost} while nobody read, it gives the groups every event`, async () => {
      await using bus = await openBus();
      const inbox = inboxGroup("inbox");
      bus.keep(startRelay(bus.world, [inbox.group]));
      const rows = Array.from({ length: 9 }, (_, index) => eventOf(sampleTopics[index % 3]!));
      await bus.commit(rows);
      await eventually(async () => (await publishedCount(bus)) === 9);
      await lose(bus);
      bus.keep(startGroup(bus.world, inbox.group, buryNothing));
      await eventually(() => new Set(inbox.ids()).size === 9);
      await bus.commit([eventOf("support.ticket-created")]);
      await eventually(() => new Set(inbox.ids()).size === 10);
    });

    test.concurrent(`losing ${lost} under load, it gives the groups every event`, async () => {
      await using bus = await openBus();
      const inbox = inboxGroup("inbox");
      bus.keep(startRelay(bus.world, [inbox.group]));
      bus.keep(startGroup(bus.world, inbox.group, buryNothing));
      const rows = Array.from({ length: 600 }, (_, index) => eventOf(sampleTopics[index % 3]!));
      for (let start = 0; start < rows.length; start += 5) {
        if (start === 300) {
          // Set back, not forward: a relay that has just begun must have come that far.
          await eventually(async () => (await publishedCount(bus)) > 3);
          await lose(bus);
        }
        await bus.commit(rows.slice(start, start + 5));
      }
      await eventually(() => new Set(inbox.ids()).size === 600);
      await eventually(async () => (await bus.mark("group:inbox")) === 600);
    });
  }
});
