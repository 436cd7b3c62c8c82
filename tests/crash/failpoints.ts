import { streamOf } from "../../streams/topics.ts";
import { eventually } from "../streams/bus.ts";
import { type Ledger, tellOrder, tellPoison } from "./load.ts";
import type { WiredSite } from "./site.ts";
import type { Moment } from "./wire.ts";

/* Each place between command, commit, publish, effect and acknowledge where a program may end. */

export interface Failpoint {
  /** What has happened, and what has not. */
  name: string;
  moment: Moment;
  /** Brings the moment about, where the load alone does not. `dies` begins to wait for it, until the program is dead. */
  provoke?(site: WiredSite, ledger: Ledger, dies: () => Promise<void>): Promise<unknown>;
  /** Redis loses everything as well. */
  losesRedis?: true;
  /** Close to another one: for the long run alone. */
  longRun?: true;
}

type Rest = Omit<Failpoint, "name" | "moment">;
const mysql = (name: string, when: Moment["when"], message: RegExp, rest: Rest = {}): Failpoint => ({
  ...{ name, moment: { wire: "mysql", when, message } },
  ...rest,
});
const redis = (name: string, when: Moment["when"], message: RegExp, rest: Rest = {}): Failpoint => ({
  ...{ name, moment: { wire: "redis", when, message } },
  ...rest,
});
const longRun: Rest = { longRun: true };

/* What the program says to its servers, and Redis to the program. */
const locks = /START TRANSACTION;SELECT .* FROM `provisioning_requests` .* FOR UPDATE/s;
const commitsCommand = /INSERT INTO `idempotent_answers`.*;COMMIT$/s;
const commitsJob = /INSERT INTO `jobs`.*INSERT INTO `idempotent_answers`.*;COMMIT$/s;
const numbers = /UPDATE outbox_events SET seq = @before/;
const publishes = /NOMKSTREAM.*"eventId"/s;
const savesMarks = /INSERT INTO bus_marks .*'group:/s;
const deliversOrder = /order\.provisioning-started\.v1\r.*"eventId"/s;
const commitsEffect = /INSERT INTO `applied_events`.*;COMMIT$/s;
const acknowledges = /\r\nxack\r\n/i;
const commitsLetter = /INSERT INTO `dead_letters`.*;COMMIT$/s;
const claims = /UPDATE jobs SET leaseOwner = '/;
const commitsClaim = /^.{5}COMMIT$/s;
const commitsResult = /'system','advance'.*;COMMIT$/s;
const removesJob = /DELETE FROM jobs WHERE/;
const givesJobBack = /UPDATE jobs SET leaseOwner = NULL/;

const losingRedis: Rest = { losesRedis: true, provoke: whileAnOrderIsPending };

/** By what is on its way then. */
const all: Record<string, Failpoint[]> = {
  "a command": [
    mysql("it is received, nothing is begun", "unsent", locks, longRun),
    mysql("its records are locked, nothing is decided", "done", locks, longRun),
    mysql("it is decided, not committed", "unsent", commitsCommand),
    mysql("it is committed with its job, not answered", "done", commitsJob),
  ],
  "an event to its stream": [
    mysql("it is committed, not numbered", "unsent", numbers, longRun),
    mysql("it is numbered, and the relay does not know", "done", numbers),
    redis("it is numbered, not published", "unsent", publishes),
    redis("it is published, and the relay does not know", "done", publishes),
    mysql("no mark is saved, and Redis is lost", "unsent", savesMarks, { ...losingRedis, ...longRun }),
    mysql("a mark is saved, and Redis is lost", "done", savesMarks, losingRedis),
  ],
  "an event to its effect": [
    redis("it was given to the consumer, which never got it", "undelivered", deliversOrder, longRun),
    mysql("it is handled, its effect not committed", "unsent", commitsEffect),
    mysql("its effect is committed, and the consumer does not know", "done", commitsEffect),
    redis("its effect is committed, it is not acknowledged", "unsent", acknowledges),
    redis("it is acknowledged, and the consumer does not know", "done", acknowledges, longRun),
  ],
  "a message to its dead letter": [
    mysql("its last try has failed, no letter is committed", "unsent", commitsLetter, {
      ...longRun,
      provoke: poison,
    }),
    mysql("its letter is committed, it is not acknowledged", "done", commitsLetter, { provoke: poison }),
  ],
  "a job": [
    mysql("it is chosen, not claimed", "unsent", claims, longRun),
    mysql("it is claimed, the driver not called", "done", commitsClaim),
    mysql("the driver is done, its result not told", "unsent", commitsResult),
    mysql("the result is told, and the worker does not know", "done", commitsResult),
    mysql("it was ordered again, and is not given back", "unsent", givesJobBack, longRun),
    mysql("it is done, not removed", "unsent", removesJob, longRun),
    mysql("it is removed, and the worker does not know", "done", removesJob, longRun),
  ],
};

/** Those of the suite, or all of them with `FAILPOINTS=all`, as in the long run. */
export const failpoints: [way: string, points: Failpoint[]][] = Object.entries(all).map(([way, points]) => [
  way,
  points.filter((point) => process.env["FAILPOINTS"] === "all" || !point.longRun),
]);

/** The consumer has an order in hand, and can't handle it. */
async function whileAnOrderIsPending(
  site: WiredSite,
  ledger: Ledger,
  dies: () => Promise<void>,
): Promise<void> {
  const { redis, pool, platform } = site.world;
  const connection = await pool.getConnection();
  await connection.query("LOCK TABLES provisioning_requests WRITE");
  await tellOrder(site, ledger);
  const stream = streamOf(platform, "order.provisioning-started");
  await eventually(async () => Number((await redis.xpending(stream, "provisioning"))[0]) > 0);
  await dies();
  await connection.query("UNLOCK TABLES");
  connection.release();
}

/** A message that nobody can handle has failed in all tries but one. */
async function poison(site: WiredSite, ledger: Ledger, dies: () => Promise<void>): Promise<void> {
  const { redis, platform } = site.world;
  const stream = streamOf(platform, "order.provisioning-started");
  const eventId = await tellPoison(site, ledger);
  let id = "";
  await eventually(async () => {
    const entries = await redis.xrange(stream, "-", "+");
    id = entries.find(([, fields]) => fields.join().includes(eventId))?.[0] ?? "0";
    return (await redis.xpending(stream, "provisioning", id, id, 1)).length === 1;
  });
  // As if another consumer had tried it five times, and then ended.
  await site.killAll();
  const heartbeat = `${platform}.consumer.provisioning.other`;
  await redis.set(heartbeat, "");
  await redis.xclaim(stream, "provisioning", "other", 0, id, "RETRYCOUNT", 5, "JUSTID");
  await site.start(site.wires.urls);
  const death = dies();
  await redis.del(heartbeat);
  await death;
}
