import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Letter, startGroup } from "../../streams/group.ts";
import { startRelay } from "../../streams/relay.ts";
import { streamOf } from "../../streams/topics.ts";
import { type Bus, buryNothing, eventOf, eventually, inboxGroup, openBus } from "./bus.ts";

setDefaultTimeout(30_000);

const topic = "identity.user-logged-in";

/** Publishes `count` events and gives them to a consumer of the group `inbox` that does nothing with them. */
async function giveTo(bus: Bus, consumer: string, count: number) {
  const rows = Array.from({ length: count }, () => eventOf(topic));
  await bus.commit(rows);
  await eventually(async () => (await bus.published()).length === count);
  const stream = streamOf(bus.platform, topic);
  await bus.world.redis.xreadgroup("GROUP", "inbox", consumer, "COUNT", count, "STREAMS", stream, ">");
  return { stream, ids: rows.map((row) => row.eventId) };
}

const consumersOf = async (bus: Bus, stream: string) =>
  ((await bus.world.redis.xinfo("CONSUMERS", stream, "inbox")) as string[][]).map((fields) => fields[1]);

describe("what a dead consumer was given", () => {
  test.concurrent("is handled by another one, and the dead one is removed", async () => {
    await using bus = await openBus();
    const inbox = inboxGroup("inbox");
    bus.keep(startRelay(bus.world, [inbox.group]));
    const { stream, ids } = await giveTo(bus, "dead", 20);
    bus.keep(startGroup(bus.world, inbox.group, buryNothing));
    await eventually(() => inbox.handled.length === 20);
    expect(inbox.ids().sort()).toEqual(ids.sort());
    await eventually(async () => !(await consumersOf(bus, stream)).includes("dead"));
    expect((await bus.world.redis.xpending(stream, "inbox"))[0]).toBe(0);
    expect(inbox.handled).toHaveLength(20);
  });

  test.concurrent("is left to it while its heartbeat is there", async () => {
    await using bus = await openBus();
    const inbox = inboxGroup("inbox");
    bus.keep(startRelay(bus.world, [inbox.group]));
    await giveTo(bus, "alive", 1);
    const heartbeat = `${bus.platform}.consumer.inbox.alive`;
    await bus.world.redis.set(heartbeat, "");
    bus.keep(startGroup(bus.world, inbox.group, buryNothing));
    await eventually(async () => (await bus.mark("group:inbox")) !== undefined);
    const stream = streamOf(bus.platform, topic);
    // An entry that is idle for three looks of the other consumer has been left alone.
    await eventually(async () => {
      const [[, , idleMs] = []] = (await bus.world.redis.xpending(
        stream,
        "inbox",
        "-",
        "+",
        1,
      )) as number[][];
      return idleMs! > 3500;
    });
    expect(inbox.tries.size).toBe(0);
    await bus.world.redis.del(heartbeat);
    await eventually(() => inbox.handled.length === 1);
  });

  test.concurrent("has its attempts counted on", async () => {
    await using bus = await openBus();
    const inbox = inboxGroup("inbox", () => {
      throw new Error("poison");
    });
    bus.keep(startRelay(bus.world, [inbox.group]));
    const first = startGroup(await bus.addWorld(), inbox.group, buryNothing);
    const row = eventOf(topic);
    await bus.commit([row]);
    await eventually(() => inbox.tries.get(row.eventId)?.length === 1);
    await first.stop();
    const letters: Letter[] = [];
    bus.keep(startGroup(bus.world, inbox.group, async (letter) => void letters.push(letter)));
    await eventually(() => letters.length === 1);
    expect(letters[0]?.attempts).toBe(3);
    expect(inbox.tries.get(row.eventId)).toHaveLength(3);
  });
});

describe("what was lost on its way", () => {
  test.concurrent("an entry whose delivery never reached its consumer is taken up by it", async () => {
    await using bus = await openBus();
    const inbox = inboxGroup("inbox");
    bus.keep(startRelay(bus.world, [inbox.group]));
    await giveTo(bus, bus.world.instance, 5);
    bus.keep(startGroup(bus.world, inbox.group, buryNothing));
    await eventually(() => inbox.handled.length === 5);
  });

  test.concurrent("an entry trimmed while it was pending is handled from the outbox", async () => {
    await using bus = await openBus();
    const inbox = inboxGroup("inbox", (_, attempt) => {
      if (attempt === 1) throw new Error("not yet");
    });
    bus.keep(startRelay(bus.world, [inbox.group]));
    const { stream, ids } = await giveTo(bus, "dead", 3);
    await bus.world.redis.xtrim(stream, "MAXLEN", 0);
    bus.keep(startGroup(bus.world, inbox.group, buryNothing));
    await eventually(() => inbox.handled.length === 3);
    expect(inbox.ids().sort()).toEqual(ids.sort());
    await eventually(async () => (await bus.world.redis.xpending(stream, "inbox"))[0] === 0);
  });

  test.concurrent("an entry that is gone from stream and outbox is let go", async () => {
    await using bus = await openBus();
    const inbox = inboxGroup("inbox");
    bus.keep(startRelay(bus.world, [inbox.group]));
    const { stream } = await giveTo(bus, "dead", 1);
    await bus.world.redis.xtrim(stream, "MAXLEN", 0);
    await bus.world.pool.query("DELETE FROM outbox_events");
    bus.keep(startGroup(bus.world, inbox.group, buryNothing));
    await eventually(async () => (await bus.world.redis.xpending(stream, "inbox"))[0] === 0);
    expect(inbox.handled).toEqual([]);
  });
});
