import { expect, setDefaultTimeout, test } from "bun:test";
import { streamOf } from "../../streams/topics.ts";
import { eventually } from "../streams/bus.ts";
import { startLoad, tellOrder } from "./load.ts";
import { brokenPromises, settle } from "./promises.ts";
import { openSite, type Site } from "./site.ts";

setDefaultTimeout(60_000);

/** How many orders each consumer was given and has not handled, the most first. */
const pending = async ({ world }: Site): Promise<number[]> => {
  const stream = streamOf(world.platform, "order.provisioning-started");
  const consumers = (await world.redis.xinfo("CONSUMERS", stream, "provisioning")) as (string | number)[][];
  return consumers.map((fields) => Number(fields[fields.indexOf("pending") + 1])).sort((a, b) => b - a);
};
const leased = async ({ rows }: Site): Promise<string[]> =>
  (await rows("SELECT leaseOwner FROM jobs WHERE leaseOwner IS NOT NULL")).map(
    ({ leaseOwner }) => leaseOwner,
  );

/** The connection of the relay that leads; null when none does. */
const lead = async ({ world, rows }: Site): Promise<number | null> => {
  const lock = "CONCAT('relay.', MD5(CONCAT(DATABASE(), '.', ?)))";
  return (await rows(`SELECT IS_USED_LOCK(${lock}) AS holder`, [world.platform]))[0].holder;
};

test("of two programs the one that leads is killed: the other takes over relay, jobs and events", async () => {
  await using site = await openSite();
  await eventually(async () => (await lead(site)) !== null);
  const firstLead = await lead(site);
  await site.start();
  const load = startLoad(site);
  await load.answers(200);
  await eventually(async () => new Set(await leased(site)).size === 2);
  // Nothing can be handled: both programs have events and jobs in hand when one dies.
  const connection = await site.world.pool.getConnection();
  await connection.query("LOCK TABLES provisioning_requests WRITE");
  await eventually(async () => {
    await tellOrder(site, load.ledger);
    return ((await pending(site))[1] ?? 0) > 0;
  });
  await site.first.kill();
  const killedMs = performance.now();
  await connection.query("UNLOCK TABLES");
  connection.release();
  await site.ageLeases(6); // those of the program that lives are renewed each second
  await load.answers(200);
  await load.end();
  await settle(site, load.ledger);
  const settledMs = Math.round(performance.now() - killedMs);
  console.log(`one of two killed: settled ${settledMs} ms later`);
  expect(await lead(site)).not.toBeOneOf([null, firstLead]);
  expect(await brokenPromises(site, load.ledger)).toEqual([]);
});
