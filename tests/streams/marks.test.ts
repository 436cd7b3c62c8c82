import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { RowDataPacket } from "mysql2/promise";
import { startGroup } from "../../streams/group.ts";
import { startRelay } from "../../streams/relay.ts";
import { type Bus, buryNothing, eventOf, eventually, inboxGroup, openBus, sampleTopics } from "./bus.ts";

setDefaultTimeout(30_000);

const dayMs = 24 * 3_600_000;

const rowCount = async (bus: Bus, table: string) => {
  const [rows] = await bus.world.pool.query<RowDataPacket[]>(`SELECT COUNT(*) AS count FROM ${table}`);
  return Number(rows[0]?.["count"]);
};

describe("the mark of a group", () => {
  test.concurrent("never passes an event that is not handled, and reaches the last one when all are", async () => {
    await using bus = await openBus();
    const handledSeqs = new Set<number>();
    const inbox = inboxGroup("inbox", async ({ seq }, attempt) => {
      await Bun.sleep((seq * 7) % 40);
      if (seq % 50 === 0 && attempt === 1) throw new Error("not yet");
      handledSeqs.add(seq);
    });
    bus.keep(startRelay(bus.world, [inbox.group]));
    bus.keep(startGroup(bus.world, inbox.group, buryNothing));
    const write = async () => {
      for (let count = 0; count < 900; count++) await bus.commit([eventOf(sampleTopics[count % 3]!)]);
    };
    const writing = write();
    const seen = new Set<number>();
    await eventually(async () => {
      const mark = (await bus.mark("group:inbox")) ?? 0;
      seen.add(mark);
      for (let seq = 1; seq <= mark; seq++) expect(handledSeqs.has(seq)).toBe(true);
      return mark === 900;
    }, 20_000);
    await writing;
    expect(seen.size).toBeGreaterThan(2);
  });

  test.concurrent("of a group that does not run stays, whatever the others do", async () => {
    await using bus = await openBus();
    const inbox = inboxGroup("inbox");
    const asleep = inboxGroup("asleep");
    bus.keep(startRelay(bus.world, [inbox.group, asleep.group]));
    bus.keep(startGroup(bus.world, inbox.group, buryNothing));
    await bus.commit(sampleTopics.map((topic) => eventOf(topic)));
    await eventually(async () => (await bus.mark("group:inbox")) === 3);
    expect(await bus.mark("group:asleep")).toBe(0);
  });
});

describe("retention", () => {
  test.concurrent("removes what is past its time and handled by every group", async () => {
    await using bus = await openBus();
    const inbox = inboxGroup("inbox");
    const consumer = bus.keep(startGroup(bus.world, inbox.group, buryNothing));
    const relay = startRelay(bus.world, [inbox.group]);
    await bus.commit(Array.from({ length: 3 }, () => eventOf("support.ticket-created")));
    await eventually(async () => (await bus.mark("group:inbox")) === 3);
    await consumer.stop();
    await bus.commit([eventOf("support.ticket-created")]);
    await eventually(async () => (await bus.published()).length === 4);
    await bus.world.pool.query(
      "INSERT INTO applied_events (eventId, `group`, at) SELECT eventId, 'inbox', createdAt FROM outbox_events",
    );
    await relay.stop();

    const later = await bus.addWorld(() => new Date(Date.now() + 9 * dayMs));
    bus.keep(startRelay(later, [inbox.group]));
    await eventually(async () => (await rowCount(bus, "outbox_events")) === 1);
    // What the outbox may feed again keeps its note of having been applied.
    await eventually(async () => (await rowCount(bus, "applied_events")) <= 1);
    expect(await rowCount(bus, "applied_events")).toBe(1);
    expect((await bus.published()).map((entry) => entry.id)).toContain("4-0");
  });
});
