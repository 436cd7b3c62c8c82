import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { startGroup } from "../../streams/group.ts";
import { lagOf } from "../../streams/lag.ts";
import { startRelay } from "../../streams/relay.ts";
import { streamOf } from "../../streams/topics.ts";
import { buryNothing, eventOf, eventually, inboxGroup, openBus, sampleTopics } from "./bus.ts";

setDefaultTimeout(30_000);

describe("the lag of a group", () => {
  test.concurrent("counts what it was not given, and beside it what it has in hand, over its topics", async () => {
    await using bus = await openBus();
    const gate = Promise.withResolvers<void>();
    const { group } = inboxGroup("inbox", () => gate.promise);
    expect(await lagOf(bus.world, group)).toEqual({ lag: 0, pending: 0 });
    await bus.commit(Array.from({ length: 7 }, (_, i) => eventOf(sampleTopics[i % 3]!)));
    expect(await lagOf(bus.world, group)).toEqual({ lag: 7, pending: 0 });
    const relay = startRelay(bus.world, [group]);
    await eventually(async () => (await bus.published()).length === 7);
    expect(await lagOf(bus.world, group)).toEqual({ lag: 7, pending: 0 });

    const consumer = startGroup(bus.world, group, buryNothing);
    await eventually(async () => (await lagOf(bus.world, group)).lag === 0);
    expect(await lagOf(bus.world, group)).toEqual({ lag: 0, pending: 7 });
    gate.resolve();
    await eventually(async () => (await lagOf(bus.world, group)).pending === 0);
    await consumer.stop();
    await bus.commit([eventOf("support.ticket-created")]);
    await eventually(async () => (await bus.published()).length === 8);
    await relay.stop();
    await bus.commit([eventOf("identity.user-logged-in")]);
    expect(await lagOf(bus.world, group)).toEqual({ lag: 2, pending: 0 });
  });

  test.concurrent("is counted in the outbox where Redis does not know it", async () => {
    await using bus = await openBus();
    const topic = "support.ticket-created";
    const group = { name: "inbox", topics: [topic] as const };
    bus.keep(startRelay(bus.world, [group]));
    await bus.commit([
      ...Array.from({ length: 6 }, () => eventOf(topic)),
      eventOf("identity.user-logged-in"),
    ]);
    await eventually(async () => (await bus.published()).length === 7);
    const [stream, { redis }] = [streamOf(bus.platform, topic), bus.world];
    await redis.xreadgroup("GROUP", group.name, "reader", "COUNT", 2, "STREAMS", stream, ">");
    await redis.xdel(stream, (await bus.published()).filter((entry) => entry.topic === topic)[3]!.id);
    const [fields] = (await redis.xinfo("GROUPS", stream)) as unknown[][];
    expect(fields?.[fields.indexOf("lag") + 1]).toBeNull();
    expect(await lagOf(bus.world, group)).toEqual({ lag: 4, pending: 2 });
  });

  test.concurrent("goes on from its mark where Redis has lost the group", async () => {
    await using bus = await openBus();
    const { group } = inboxGroup("inbox");
    const parts = [startRelay(bus.world, [group]), startGroup(bus.world, group, buryNothing)];
    await bus.commit(sampleTopics.map((topic) => eventOf(topic)));
    await eventually(async () => (await bus.mark("group:inbox")) === 3);
    for (const part of parts) await part.stop();
    await bus.wipeRedis();
    expect(await lagOf(bus.world, group)).toEqual({ lag: 0, pending: 0 });
    await bus.commit(sampleTopics.map((topic) => eventOf(topic)));
    expect(await lagOf(bus.world, group)).toEqual({ lag: 3, pending: 0 });
  });
});
