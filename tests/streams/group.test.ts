import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { Unavailable } from "../../schema/world.ts";
import { type Letter, startGroup } from "../../streams/group.ts";
import { startRelay } from "../../streams/relay.ts";
import { retryDelaysMs, streamOf, type Topic, topics } from "../../streams/topics.ts";
import { type Bus, buryNothing, eventOf, eventually, inboxGroup, openBus, sampleTopics } from "./bus.ts";

setDefaultTimeout(40_000);

const pendingCount = async (bus: Bus, group: string) => {
  const summaries = await Promise.all(
    sampleTopics.map((topic) => bus.world.redis.xpending(streamOf(bus.platform, topic), group)),
  );
  return summaries.reduce((sum, summary) => sum + Number((summary as unknown[])[0]), 0);
};

describe("a consumer group", () => {
  test.concurrent("each group is handed each event of its topics once, in order over the topics", async () => {
    await using bus = await openBus();
    const inboxes = ["one", "two"].map((name) => inboxGroup(name));
    bus.keep(
      startRelay(
        bus.world,
        inboxes.map(({ group }) => group),
      ),
    );
    for (const { group } of inboxes) bus.keep(startGroup(bus.world, group, buryNothing));
    const rows = Array.from({ length: 300 }, (_, index) => eventOf(sampleTopics[index % 3]!));
    await bus.commit(rows);
    for (const inbox of inboxes) {
      await eventually(() => inbox.handled.length === 300);
      await eventually(async () => (await pendingCount(bus, inbox.group.name)) === 0);
      expect(inbox.ids().sort()).toEqual(rows.map((row) => row.eventId).sort());
      expect(inbox.handled[0]?.envelope.data).toEqual(JSON.parse(rows[0]!.envelope).data);
    }
  });

  test.concurrent("two consumers of a group share its events", async () => {
    await using bus = await openBus();
    const inbox = inboxGroup("inbox");
    bus.keep(startRelay(bus.world, [inbox.group]));
    bus.keep(startGroup(bus.world, inbox.group, buryNothing));
    bus.keep(startGroup(await bus.addWorld(), inbox.group, buryNothing));
    for (let count = 0; count < 300; count++) await bus.commit([eventOf("support.ticket-created")]);
    await eventually(async () => inbox.handled.length >= 300 && (await pendingCount(bus, "inbox")) === 0);
    expect(new Set(inbox.ids()).size).toBe(300);
    expect(inbox.handled).toHaveLength(300);
  });

  const invalid = {
    "that is not JSON": () => "{",
    "without an envelope's fields": () => "{}",
    "whose data is not the topic's": (envelope: string) =>
      JSON.stringify({ ...JSON.parse(envelope), data: { userId: 1 } }),
  };
  for (const [what, spoil] of Object.entries(invalid)) {
    test.concurrent(`an event ${what} is buried as it was, and never handled`, async () => {
      await using bus = await openBus();
      const row = eventOf("identity.user-logged-in");
      row.envelope = spoil(row.envelope);
      const inbox = inboxGroup("inbox");
      const letters: Letter[] = [];
      bus.keep(startRelay(bus.world, [inbox.group]));
      bus.keep(startGroup(bus.world, inbox.group, async (letter) => void letters.push(letter)));
      await bus.commit([row]);
      await eventually(() => letters.length === 1);
      const { eventId, envelope } = row;
      expect(letters[0]).toMatchObject({ eventId, envelope, attempts: retryDelaysMs.nonCritical.length + 1 });
      await eventually(async () => (await pendingCount(bus, "inbox")) === 0);
      expect(inbox.handled).toEqual([]);
    });
  }

  test.concurrent("while a server is away nothing counts as an attempt, and the group waits", async () => {
    await using bus = await openBus();
    const server = { away: true };
    const inbox = inboxGroup("inbox", (_, attempt) => {
      if (server.away) throw new Unavailable("the database is away");
      if (attempt <= 9) throw new Error("first real failure");
    });
    bus.keep(startRelay(bus.world, [inbox.group]));
    bus.keep(startGroup(bus.world, inbox.group, buryNothing));
    const first = eventOf("support.ticket-created");
    await bus.commit([first]);
    await eventually(() => inbox.tries.size === 1);
    const times = () => inbox.tries.get(first.eventId)?.length ?? 0;
    // Many more tries than the class has, and the second event is not even read.
    await eventually(() => times() >= 6);
    await bus.commit([eventOf("support.ticket-created")]);
    await eventually(() => times() >= 9);
    expect(inbox.tries.size).toBe(1);
    const [, , , deliveries] = (
      await bus.world.redis.xpending(
        ...([streamOf(bus.platform, "support.ticket-created"), "inbox", "-", "+", 10] as const),
      )
    )[0] as [string, string, number, number];
    expect(deliveries).toBe(1);
    server.away = false;
    await eventually(() => inbox.handled.length >= 1);
    expect(inbox.ids()).toContain(first.eventId);
  });

  test.concurrent("a letter that cannot be written is kept until it can", async () => {
    await using bus = await openBus();
    const inbox = inboxGroup("inbox", () => {
      throw new Error("poison");
    });
    let tries = 0;
    bus.keep(startRelay(bus.world, [inbox.group]));
    bus.keep(
      startGroup(bus.world, inbox.group, async () => {
        tries += 1;
        expect(await pendingCount(bus, "inbox")).toBe(1);
        if (tries < 3) throw new Unavailable("the database is away");
      }),
    );
    await bus.commit([eventOf("identity.user-logged-in")]);
    await eventually(async () => tries > 0 && (await pendingCount(bus, "inbox")) === 0);
    expect(tries).toBe(3);
  });

  test.concurrent("a stop awaits the handlers that run, and what it acknowledged is not handled again", async () => {
    await using bus = await openBus();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const inbox = inboxGroup("inbox", () => released);
    bus.keep(startRelay(bus.world, [inbox.group]));
    const consumer = startGroup(bus.world, inbox.group, buryNothing);
    await bus.commit([eventOf("support.ticket-created")]);
    await eventually(() => inbox.tries.size === 1);
    const stopped = consumer.stop();
    release();
    await stopped;
    expect(inbox.handled).toHaveLength(1);
    expect(await pendingCount(bus, "inbox")).toBe(0);
  });

  test.concurrent("a group of all topics starts on an empty Redis", async () => {
    await using bus = await openBus();
    const inbox = inboxGroup("inbox");
    const group = { ...inbox.group, topics: Object.keys(topics) as Topic[] };
    bus.keep(startGroup(bus.world, group, buryNothing));
    bus.keep(startRelay(bus.world, [group]));
    await bus.commit(sampleTopics.map((topic) => eventOf(topic)));
    await eventually(() => inbox.handled.length >= 3);
    expect(new Set(inbox.ids()).size).toBe(3);
  });
});
