import type { Connection, Pool, RowDataPacket } from "mysql2/promise";
import { migrate } from "../../schema/migrate.ts";
import type { World } from "../../schema/world.ts";
import { createWorld } from "../../src/world.ts";
import type { Delivery, Group } from "../../streams/group.ts";
import { type EventData, streamOf, type Topic } from "../../streams/topics.ts";
import { ownConfig } from "../config.ts";

/** A topic of each retry class, with data that it takes. */
export const sample = {
  "billing.payment-received": { invoiceId: "i", orderId: null, amount: 1, currency: "EUR" },
  "support.ticket-created": { ticketId: "t", subject: "s", status: "OPEN" },
  "identity.user-logged-in": { userId: "u", email: "u@example.com" },
} satisfies { [T in Topic]?: EventData<T> };
export type SampleTopic = keyof typeof sample;
export const sampleTopics = Object.keys(sample) as SampleTopic[];

export interface OutboxRow {
  topic: SampleTopic;
  eventId: string;
  envelope: string;
}

/** A valid event, ready for the outbox. */
export function eventOf(topic: SampleTopic, subject = "subject", sequence = 1): OutboxRow {
  const eventId = Bun.randomUUIDv7();
  const envelope = {
    eventId,
    type: streamOf("test", topic),
    version: 1,
    occurredAt: "2026-01-01T00:00:00.000Z",
    source: "test",
    correlationId: "c",
    causationId: null,
    tenantId: null,
    subject,
    sequence,
    data: sample[topic],
  };
  return { topic, eventId, envelope: JSON.stringify(envelope) };
}

export interface StreamEntry {
  id: string;
  topic: SampleTopic;
  envelope: { eventId: string; subject: string; sequence: number };
}

/** For Redis: removes the keys that fit a pattern, in one step. */
export const emptyPlatform =
  "for _, key in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('DEL', key) end";

/** A bus of its own: a database and a platform name that no other test has. `await using` closes it. */
export async function openBus() {
  const config = ownConfig();
  const platform = config.PLATFORM_NAME;
  const worlds: ReturnType<typeof createWorld>[] = [];
  const running: { stop(): Promise<void> }[] = [];

  /** What a further process of the same installation would have. */
  const addWorld = async (now?: () => Date): Promise<World> => {
    const world = createWorld(config, { now });
    worlds.push(world);
    if (world.redis.status !== "ready") {
      await new Promise((resolve) => world.redis.once("ready", resolve));
    }
    return world;
  };
  const world = await addWorld();
  await migrate(world.mysql);

  /** Commits the rows as the runtime would, and wakes the relay. */
  const commit = async (rows: OutboxRow[], connection: Connection | Pool = world.pool) => {
    await connection.query(
      "INSERT INTO outbox_events (eventId, topic, correlationId, createdAt, envelope) VALUES ?",
      [
        rows.map(({ eventId, topic, envelope }) => [
          eventId,
          streamOf(platform, topic),
          "c",
          world.now(),
          envelope,
        ]),
      ],
    );
    world.waker.wake("relay");
  };

  /** All entries of the streams, in order of their seq. */
  const published = async (): Promise<StreamEntry[]> => {
    const lists = await Promise.all(
      sampleTopics.map(async (topic) =>
        (await world.redis.xrange(streamOf(platform, topic), "-", "+")).map(([id, [, text]]) => ({
          id,
          topic,
          envelope: JSON.parse(text ?? "null"),
        })),
      ),
    );
    return lists.flat().sort((a, b) => Number.parseInt(a.id, 10) - Number.parseInt(b.id, 10));
  };

  const mark = async (name: string): Promise<number | undefined> => {
    const [rows] = await world.pool.query<RowDataPacket[]>("SELECT seq FROM bus_marks WHERE name = ?", [
      name,
    ]);
    return rows[0]?.["seq"];
  };

  return {
    platform,
    world,
    addWorld,
    commit,
    published,
    mark,
    /** Stops it, latest first, when the bus closes. */
    keep<T extends { stop(): Promise<void> }>(part: T): T {
      running.unshift(part);
      return part;
    },
    /** Removes all that the platform has in Redis, in one step, as FLUSHALL would. */
    async wipeRedis() {
      await world.redis.eval(emptyPlatform, 0, `${platform}.*`);
    },
    async [Symbol.asyncDispose]() {
      for (const part of running) await part.stop();
      await this.wipeRedis();
      await world.pool.query("DROP DATABASE ??", [world.mysql.database]);
      for (const each of worlds) await each.close();
    },
  };
}
export type Bus = Awaited<ReturnType<typeof openBus>>;

/** A group over the sample topics that keeps what it gets; `fail` may throw for the try in hand, counted from 1. */
export function inboxGroup(
  name: string,
  fail: (delivery: Delivery, attempt: number) => Promise<void> | void = () => {},
) {
  const handled: Delivery[] = [];
  const tries = new Map<string, number[]>();
  const group: Group = {
    name,
    topics: sampleTopics,
    async handle(delivery) {
      const { eventId } = delivery.envelope;
      const times = tries.get(eventId) ?? [];
      tries.set(eventId, [...times, performance.now()]);
      await fail(delivery, times.length + 1);
      handled.push(delivery);
    },
  };
  return { group, handled, tries, ids: () => handled.map((delivery) => delivery.envelope.eventId) };
}

/** Resolves as soon as the condition holds. */
export async function eventually(
  condition: () => Promise<boolean> | boolean,
  timeoutMs = 10_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Still not so after ${timeoutMs} ms: ${condition}`);
    await Bun.sleep(5);
  }
}

/** For groups whose events never fail to the end. */
export const buryNothing = async (): Promise<void> => {
  throw new Error("no event of this test is to be buried");
};
