import type { ChainableCommander } from "ioredis";
import type { World } from "../../schema/world.ts";
import { streamOf, type Topic, topics } from "../../streams/topics.ts";
import type { Ledger } from "./load.ts";
import type { Site } from "./site.ts";

/* What holds after any crash. */

/** An entry of a stream. */
export interface Published {
  /** The stream's full name. */
  stream: string;
  id: string;
  text: string;
  envelope: { eventId: string; subject: string; sequence: number; source: string };
}

const groups = { provisioning: ["order.provisioning-started"] } satisfies Record<string, Topic[]>;
const isDeadLetter = (stream: string) => stream.endsWith(".dlq");

/** All streams, those of the dead letters of the topics that are heard as well. */
const streamsOf = ({ platform }: World): string[] => [
  ...(Object.keys(topics) as Topic[]).map((topic) => streamOf(platform, topic)),
  ...Object.values(groups).flatMap((heard) => heard.map((topic) => `${streamOf(platform, topic)}.dlq`)),
];

/** All entries of the streams; `last` is done in the same step, after the reading. */
export async function published(
  { world }: Site,
  last: (transaction: ChainableCommander) => void = () => {},
): Promise<Published[]> {
  const streams = streamsOf(world);
  const redis = world.connectRedis(); // which may take its time
  const transaction = redis.multi();
  for (const stream of streams) transaction.xrange(stream, "-", "+");
  last(transaction);
  const replies = (await transaction.exec().finally(() => redis.disconnect())) ?? [];
  return streams.flatMap((stream, i) =>
    ((replies[i]?.[1] ?? []) as [string, string[]][]).map(([id, fields]) => {
      const text = fields[1] ?? "";
      return { stream, id, text, envelope: JSON.parse(text) };
    }),
  );
}

/** What is still to be done; empty when all has come to rest. */
export async function unsettled({ world, rows }: Site, { items }: Ledger): Promise<Record<string, number>> {
  const [counts] = await rows(
    `SELECT ? - (SELECT COUNT(*) FROM provisioning_requests) AS \`requests to be made\`,
            (SELECT COUNT(*) FROM provisioning_requests WHERE status <> 'ACTIVE') AS \`requests on their way\`,
            (SELECT COUNT(*) FROM jobs) AS jobs,
            (SELECT COUNT(*) FROM outbox_events WHERE seq = 0) AS \`events without a number\`,
            (SELECT seq FROM bus_marks WHERE name = 'stamped') AS stamped`,
    [items.length],
  );
  const { stamped, ...left } = counts;
  const cursor = Number(await world.redis.get(`${world.platform}.relay.cursor`));
  left["events to be published"] = stamped - cursor;
  for (const [group, heard] of Object.entries(groups))
    for (const topic of heard)
      left[`pending for ${group}`] = await world.redis
        .xpending(streamOf(world.platform, topic), group)
        .then(([pending]) => Number(pending));
  return Object.fromEntries(Object.entries<number>(left).filter(([, count]) => Number(count) !== 0));
}

/** Waits until all has come to rest; how long that took, in milliseconds. */
export async function settle(site: Site, ledger: Ledger, timeoutMs = 20_000): Promise<number> {
  const began = performance.now();
  for (;;) {
    const left = await unsettled(site, ledger).catch((error) => ({ error: String(error) }));
    const tookMs = Math.round(performance.now() - began);
    if (Object.keys(left).length === 0) return tookMs;
    if (tookMs > timeoutMs) {
      const jobs = await site.rows("SELECT * FROM jobs LIMIT 3");
      throw new Error(`Not settled after ${timeoutMs} ms: ${JSON.stringify({ left, jobs })}`);
    }
    await Bun.sleep(20);
  }
}

/**
 * Every promise that a settled site has broken; empty when it kept all. `earlier` is what had been published when
 * Redis was emptied.
 */
export async function brokenPromises(
  site: Site,
  ledger: Ledger,
  earlier: Published[] = [],
): Promise<string[]> {
  const records = await site.rows("SELECT * FROM provisioning_requests");
  const audit = await site.rows(
    `SELECT audit_entries.* FROM audit_entries JOIN provisioning_requests ON provisioning_requests.id = recordId
      ORDER BY recordId, audit_entries.version`,
  );
  const trails = Map.groupBy(audit, ({ recordId }) => recordId);
  const now = await published(site);
  const entries = [
    ...new Map([...earlier, ...now].map((entry) => [`${entry.stream} ${entry.id}`, entry])).values(),
  ];
  return shortened([
    ...ledger.faults,
    ...acknowledgedIsThere(ledger, records),
    ...records.flatMap((record) => wentItsWay(record, trails.get(record.id) ?? [])),
    ...sameOnce("event", eventsToldBy(site.world, audit), eventsAbout(entries)),
    ...(await outboxIsPublished(site, entries)),
    ...(await ordersAreApplied(site, ledger)),
    ...(await poisonIsBuried(site, ledger, entries)),
  ]);
}

const shortened = (faults: string[]): string[] =>
  faults.length > 20 ? [...faults.slice(0, 20), `and ${faults.length - 20} more`] : faults;

/** One request for each item, the one that was answered, at the version answered or later. */
function acknowledgedIsThere({ items, made, versions }: Ledger, records: any[]): string[] {
  const byId = new Map(records.map((record) => [record.id, record]));
  const lost = [...versions].filter(([id, version]) => !(byId.get(id)?.version >= version));
  const others = [...made].filter(([item, id]) => byId.get(id)?.orderItemId !== item);
  return [
    ...sameOnce(
      "item",
      items,
      records.map(({ orderItemId }) => orderItemId),
    ),
    ...lost.map(([id, version]) => `${id}: version ${version} was answered, not ${byId.get(id)?.version}`),
    ...others.map(([item, id]) => `${item}: was answered with ${id}`),
  ];
}

const way = "create start advance advance advance advance";

/** Each step and each version once, in state and audit. */
function wentItsWay({ id, status, version, steps }: any, trail: any[]): string[] {
  const completed = JSON.parse(steps).filter(({ status }: any) => status === "COMPLETED").length;
  const commands = trail.map(({ command }) => command).join(" ");
  const gapless = trail.every((entry, i) => entry.version === i + 1);
  if (status === "ACTIVE" && completed === 4 && gapless && trail.length === version && commands === way)
    return [];
  return [`${id}: ${status} at version ${version}, ${completed} steps completed, audit ${commands}`];
}

const toldBy: Record<string, Topic> = {
  create: "provisioning.requested",
  start: "provisioning.started",
  advance: "provisioning.step-completed",
};

/** The events that the audit tells of, as `subject sequence stream`. */
const eventsToldBy = ({ platform }: World, audit: any[]): string[] =>
  audit
    .filter(({ command }) => toldBy[command])
    .flatMap(({ recordId, version, command, to }) => {
      const atLast: Topic[] =
        to === "ACTIVE" ? ["provisioning.service-activated", "provisioning.completed"] : [];
      return [toldBy[command] as Topic, ...atLast].map(
        (topic) => `${recordId} ${version} ${streamOf(platform, topic)}`,
      );
    });

const eventsAbout = (entries: Published[]): string[] =>
  entries
    .filter(({ envelope }) => envelope.source === "provisioning")
    .map(({ stream, envelope }) => `${envelope.subject} ${envelope.sequence} ${stream}`);

/** What was committed is in the streams: each event once, under its number, as it was written. */
async function outboxIsPublished({ rows }: Site, entries: Published[]): Promise<string[]> {
  const outbox = await rows("SELECT eventId, seq, topic, envelope FROM outbox_events");
  return [
    ...sameOnce(
      "committed event",
      outbox.map(({ eventId, seq, topic, envelope }) => [eventId, `${seq}-0`, topic, envelope].join(" ")),
      entries.map(({ envelope, id, stream, text }) => [envelope.eventId, id, stream, text].join(" ")),
    ),
    ...sameOnce(
      "event id",
      outbox.map(({ eventId, topic }) => `${eventId} ${topic}`),
      entries.map(({ envelope, stream }) => `${envelope.eventId} ${stream}`),
    ),
  ];
}

async function ordersAreApplied({ rows }: Site, { orders }: Ledger): Promise<string[]> {
  const applied = await rows("SELECT eventId FROM applied_events WHERE `group` = 'provisioning'");
  return sameOnce(
    "order",
    orders,
    applied.map(({ eventId }) => eventId),
  );
}

/** What can't be handled is kept as one dead letter, and told once. */
async function poisonIsBuried({ rows }: Site, { poison }: Ledger, entries: Published[]): Promise<string[]> {
  const letters = await rows("SELECT eventId FROM dead_letters");
  const told = entries.filter(({ stream }) => isDeadLetter(stream));
  return [
    ...sameOnce(
      "dead letter",
      poison,
      letters.map(({ eventId }) => eventId),
    ),
    ...sameOnce(
      "dead letter told",
      poison,
      told.map(({ envelope }) => envelope.eventId),
    ),
  ];
}

/** What is missing, doubled or not expected. */
function sameOnce(what: string, expected: string[], found: string[]): string[] {
  const [wanted, had] = [new Set(expected), new Set(found)];
  const doubled = found.length - had.size;
  return [
    ...[...wanted].filter((each) => !had.has(each)).map((each) => `${what} missing: ${each}`),
    ...[...had].filter((each) => !wanted.has(each)).map((each) => `${what} not expected: ${each}`),
    ...(doubled === 0 ? [] : [`${what}: ${doubled} doubled`]),
  ];
}
