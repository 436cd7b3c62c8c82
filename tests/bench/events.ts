import type { Redis } from "ioredis";
import { createPool } from "mysql2/promise";
import { request } from "../../actors/provisioning/request.ts";
import { originOf } from "../../actors/runtime/actor.ts";
import { type Mailbox, openMailbox } from "../../actors/runtime/mailbox.ts";
import { migrate } from "../../schema/migrate.ts";
import type { World } from "../../schema/world.ts";
import { readConfig } from "../../src/config.ts";
import { createWorld } from "../../src/world.ts";
import { type Group, startGroup } from "../../streams/group.ts";
import { startRelay } from "../../streams/relay.ts";
import { body } from "./commands.ts";
import { percentiles } from "./measure.ts";
import type { Bench } from "./program.ts";

/* Events: from the commit of a command to the commit of what a consumer group makes of it. */

const origin = originOf("bench", { requestId: "bench", correlationId: "bench" });

export async function events(bench: Bench): Promise<void> {
  const world = createWorld(readConfig(bench.environment));
  await migrate(world.mysql);
  const mailbox = openMailbox(world);
  try {
    console.log("events: from commit to handled");
    await latency(world, mailbox);
    await backlog(world, mailbox, 100_000);
  } finally {
    await mailbox.close();
    await world.close();
  }
}

/** A relay and one group that notes each event as applied and calls `handled`. */
function listen(world: World, mailbox: Mailbox, handled: (requestId: string) => void) {
  const group: Group = {
    name: "bench",
    topics: ["provisioning.requested"],
    async handle({ group, envelope }) {
      await mailbox.apply({ group, eventId: envelope.eventId }, []);
      handled(envelope.subject);
    },
  };
  const parts = [startRelay(world, [group]), startGroup(world, group, async () => {})];
  return { stop: () => Promise.all(parts.map((part) => part.stop())) };
}

async function latency(world: World, mailbox: Mailbox): Promise<void> {
  const perSecond = 500;
  const warmUp = perSecond;
  const total = warmUp + 10 * perSecond;
  const committed = new Map<string, number>();
  const seen = new Map<string, number>();
  const all = Promise.withResolvers<void>();
  const listening = listen(world, mailbox, (id) => {
    seen.set(id, performance.now());
    if (seen.size === total) all.resolve();
  });
  const begun = performance.now();
  const sent: Promise<void>[] = [];
  while (sent.length < total) {
    const due = Math.min(Math.floor(((performance.now() - begun) / 1000) * perSecond), total);
    while (sent.length < due)
      sent.push(create(mailbox).then((id) => void committed.set(id, performance.now())));
    await Bun.sleep(1);
  }
  await Promise.all(sent);
  await all.promise;
  await listening.stop();
  // The first second, in which the program is still being compiled, is left out.
  const counted = [...committed].slice(warmUp);
  const times = Float64Array.from(counted.map(([id, at]) => Math.max((seen.get(id) ?? 0) - at, 0)));
  const { p50, p99 } = percentiles(times);
  console.log(
    `  ${perSecond} commands a second: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms (under 25)`,
  );
}

async function create(mailbox: Mailbox): Promise<string> {
  const { state } = (await mailbox.send(request.create, { input: body, origin })) as {
    state: { id: string };
  };
  return state.id;
}

async function backlog(world: World, mailbox: Mailbox, total: number): Promise<void> {
  for (let made = 0; made < total; made += 2000) {
    await Promise.all(Array.from({ length: 2000 }, () => create(mailbox)));
  }
  const [rows] = await world.pool.query("SELECT envelope FROM outbox_events ORDER BY id DESC LIMIT 1");
  const { envelope } = (rows as { envelope: string }[])[0] as { envelope: string };
  const all = Promise.withResolvers<void>();
  let count = 0;
  const begun = performance.now();
  const listening = listen(world, mailbox, () => {
    count += 1;
    if (count === total) all.resolve();
  });
  await all.promise;
  const drained = total / ((performance.now() - begun) / 1000);
  await listening.stop();
  const bare = await bareStream(world, envelope, total);
  const figure = (rate: number) => `${Math.round(rate).toLocaleString("en")}/s`;
  console.log(`  a backlog of ${total.toLocaleString("en")} drained: ${figure(drained)}`);
  console.log(`  bare XADD, XREADGROUP and the same applied rows: ${figure(bare)}`);
  console.log(`  ${(drained / bare).toFixed(2)} x the bare stream (at least 0.5)`);
}

/** The limit: pipelined XADD, XREADGROUP and XACK, and the applied rows 200 at a time. */
async function bareStream(world: World, envelope: string, total: number): Promise<number> {
  const stream = "bench.bare";
  const pool = createPool({ ...world.mysql, connectionLimit: 1 });
  const [writer, reader] = [world.connectRedis(), world.connectRedis()] as [Redis, Redis];
  await writer.xgroup("CREATE", stream, "bare", "0", "MKSTREAM");
  const begun = performance.now();
  const writing = (async () => {
    for (let written = 0; written < total; written += 500) {
      const pipeline = writer.pipeline();
      for (let i = 0; i < 500; i++) pipeline.xadd(stream, "*", "envelope", envelope);
      await pipeline.exec();
    }
  })();
  for (let handled = 0; handled < total; ) {
    const found = await reader.xreadgroup(
      "GROUP",
      "bare",
      "one",
      "COUNT",
      200,
      "BLOCK",
      1000,
      "STREAMS",
      stream,
      ">",
    );
    const entries = (found as [string, [string, string[]][]][] | null)?.[0]?.[1] ?? [];
    if (entries.length === 0) continue;
    const rows = entries.map(([, fields]) => {
      JSON.parse(fields[1] as string);
      return [Bun.randomUUIDv7(), "bare", new Date()];
    });
    await pool.query("INSERT INTO applied_events (eventId, `group`, at) VALUES ?", [rows]);
    await reader.xack(stream, "bare", ...entries.map(([id]) => id));
    handled += entries.length;
  }
  await writing;
  const rate = total / ((performance.now() - begun) / 1000);
  writer.disconnect();
  reader.disconnect();
  await pool.end();
  return rate;
}
