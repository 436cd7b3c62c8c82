import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { RowDataPacket } from "mysql2/promise";
import { deadLetter } from "../../actors/platform/dead-letter.ts";
import { originOf } from "../../actors/runtime/actor.ts";
import { type Mailbox, openMailbox } from "../../actors/runtime/mailbox.ts";
import { type Delivery, type Letter, startGroup } from "../../streams/group.ts";
import { startRelay } from "../../streams/relay.ts";
import { streamOf } from "../../streams/topics.ts";
import { type Bus, eventOf, eventually, openBus, type SampleTopic, sampleTopics } from "./bus.ts";

setDefaultTimeout(40_000);

/** Of each retry class a topic, the event on it that can't be handled, and the delays that the contract names. */
const classes = [
  { name: "critical", topic: "billing.payment-received", delaysMs: [500, 1000, 2000, 4000, 8000] },
  { name: "default", topic: "support.ticket-created", delaysMs: [1000, 2000, 4000] },
  { name: "non-critical", topic: "identity.user-logged-in", delaysMs: [2000, 4000] },
].map((each) => ({ ...each, topic: each.topic as SampleTopic, poison: eventOf(each.topic as SampleTopic) }));

interface Try {
  beganMs: number;
  failedMs: number;
  failedAt: Date;
  /** How late a bare timer of the same length is, with as many round trips to Redis as the next try takes. */
  machineLateMs: Promise<number>;
}
interface Neighbour {
  topic: SampleTopic;
  committedMs: number;
  handledMs?: number;
}

const group = "inbox";
const tries = new Map<string, Try[]>();
const neighbours = new Map<string, Neighbour>();
let bus: Bus;
let mailbox: Mailbox;

/** Fails the event for good, a moment after it began. */
async function fail(eventId: string): Promise<never> {
  const beganMs = performance.now();
  const before = tries.get(eventId) ?? [];
  const delayMs = classes.find(({ poison }) => poison.eventId === eventId)?.delaysMs[before.length] ?? 0;
  await Bun.sleep(20);
  const failedMs = performance.now();
  const bareTimer = async () => {
    await Bun.sleep(delayMs);
    await bus.world.redis.ping();
    await bus.world.redis.ping();
    return performance.now() - failedMs - delayMs;
  };
  const failed = { beganMs, failedMs, failedAt: bus.world.now(), machineLateMs: bareTimer() };
  tries.set(eventId, [...before, failed]);
  throw new Error("poison");
}

async function handle({ envelope: { eventId } }: Delivery): Promise<void> {
  const neighbour = neighbours.get(eventId);
  if (!neighbour) return fail(eventId);
  neighbour.handledMs = performance.now();
}

async function bury(input: Letter): Promise<void> {
  const { eventId } = input;
  const origin = originOf("platform", { requestId: eventId, correlationId: eventId });
  await mailbox.apply({ group: `${group}.dlq`, eventId }, [{ command: deadLetter.bury, input, origin }]);
}

/** An event more on each topic, about the same record; waits until they are handled. */
async function sendNeighbours(): Promise<void> {
  const rows = sampleTopics.map((topic) => eventOf(topic));
  const committedMs = performance.now();
  for (const { eventId, topic } of rows) neighbours.set(eventId, { topic, committedMs });
  await bus.commit(rows);
  await eventually(() => rows.every(({ eventId }) => neighbours.get(eventId)?.handledMs));
}

const rowsOf = async (sql: string, ...values: unknown[]): Promise<any[]> =>
  (await bus.world.pool.query<RowDataPacket[]>(sql, values))[0];

beforeAll(async () => {
  bus = await openBus();
  mailbox = openMailbox(bus.world);
  const inbox = { name: group, topics: sampleTopics, handle };
  bus.keep(startRelay(bus.world, [inbox]));
  bus.keep(startGroup(bus.world, inbox, bury));
  await sendNeighbours();
  await bus.commit(classes.map(({ poison }) => poison));
  while ((await rowsOf("SELECT id FROM dead_letters")).length < classes.length) {
    await sendNeighbours();
    await Bun.sleep(200);
  }
  await sendNeighbours();
});
afterAll(async () => {
  await mailbox?.close();
  await bus?.[Symbol.asyncDispose]();
});

describe.each(classes)("a message of the $name class that fails for good", ({ topic, delaysMs, poison }) => {
  const { eventId, envelope } = poison;
  const triesOf = () => tries.get(eventId) as [Try, ...Try[]];
  const lettersOf = () => rowsOf("SELECT * FROM dead_letters WHERE eventId = ?", eventId);

  test("is tried again after the delays of its class, to a tenth, and then no more", async () => {
    expect(triesOf()).toHaveLength(delaysMs.length + 1);
    for (const [i, delayMs] of delaysMs.entries()) {
      const [failed, next] = triesOf().slice(i) as [Try, Try];
      const waitedMs = next.beganMs - failed.failedMs;
      expect(waitedMs).toBeGreaterThan(0.9 * delayMs);
      expect(waitedMs - Math.max(0, await failed.machineLateMs)).toBeLessThan(1.1 * delayMs);
    }
  });

  test("is kept as one dead letter", async () => {
    const letters = await lettersOf();
    expect(letters).toHaveLength(1);
    const [{ firstFailedAt, lastFailedAt, ...letter }] = letters;
    const attempts = delaysMs.length + 1;
    expect(letter).toMatchObject({ envelope, attempts, error: "poison", status: "DEAD", version: 1 });
    const stream = streamOf(bus.platform, topic);
    expect([letter.topic, letter.eventType, letter.group].map(String)).toEqual([stream, stream, group]);
    const [first, last] = [triesOf()[0], triesOf().at(-1) as Try];
    expect(firstFailedAt - first.failedAt.getTime()).toBeWithin(0, 1000);
    expect(lastFailedAt - last.failedAt.getTime()).toBeWithin(0, 1000);
  });

  test("is told once on the dead-letter stream of its topic", async () => {
    const [{ attempts, firstFailedAt, lastFailedAt, error }] = await lettersOf();
    const told = await bus.world.redis.xrange(`${streamOf(bus.platform, topic)}.dlq`, "-", "+");
    expect(told.map(([, [name, text = ""]]) => [name, JSON.parse(text)])).toEqual([
      [
        "envelope",
        {
          ...JSON.parse(envelope),
          deadLetter: {
            ...{ group, attempts, error },
            firstFailedAt: firstFailedAt.toISOString(),
            lastFailedAt: lastFailedAt.toISOString(),
          },
        },
      ],
    ]);
  });

  test("is acknowledged", async () => {
    const pending = async () => (await bus.world.redis.xpending(streamOf(bus.platform, topic), group))[0];
    await eventually(async () => (await pending()) === 0);
  });

  test("holds up none of its neighbours: before it, while it fails, and after it", async () => {
    const own = [...neighbours.values()].filter((each) => each.topic === topic) as Required<Neighbour>[];
    const waitsMs = own.map(({ committedMs, handledMs }) => handledMs - committedMs);
    expect(Math.max(...waitsMs)).toBeLessThan(1000);
    const [firstMs, lastMs] = [triesOf()[0].beganMs, (triesOf().at(-1) as Try).failedMs];
    const meanwhile = own.filter(({ handledMs }) => handledMs > firstMs && handledMs < lastMs);
    expect(meanwhile.length).toBeGreaterThan(5);
    expect(own.some(({ handledMs }) => handledMs < firstMs)).toBe(true);
    expect(own.some(({ handledMs }) => handledMs > lastMs)).toBe(true);
  });
});
