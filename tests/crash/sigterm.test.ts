import { expect, setDefaultTimeout, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { vm } from "../house.ts";
import { requests } from "../provisioning/stages.ts";
import { eventually } from "../streams/bus.ts";
import { create, startLoad } from "./load.ts";
import { brokenPromises, settle } from "./promises.ts";
import { openSite, type Site } from "./site.ts";

setDefaultTimeout(60_000);

/** Keeps every batch with this request waiting until `release`. */
async function hold({ world, rows }: Site, id: string) {
  const connection = await world.pool.getConnection();
  await connection.query("START TRANSACTION");
  await connection.query("SELECT id FROM provisioning_requests WHERE id = ? FOR UPDATE", [id]);
  const blocked = () =>
    rows("SELECT 1 FROM information_schema.processlist WHERE info LIKE ? AND id <> CONNECTION_ID()", [
      `%${id}%FOR UPDATE%`,
    ]);
  return {
    untilBlocked: () => eventually(async () => (await blocked()).length > 0),
    async release() {
      await connection.query("ROLLBACK");
      connection.release();
    },
  };
}

/** Whether nobody listens there any more. */
const refuses = (url: string) =>
  fetch(`${url}/health`, { signal: AbortSignal.timeout(500) }).then(
    () => false,
    (error) => error.name !== "TimeoutError",
  );

/** A client that stops in the middle of its request. */
async function stall(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on("error", () => {});
  const head = [
    "POST /api/identity/auth/logout HTTP/1.1",
    "Host: localhost",
    "Content-Length: 1000",
    "",
    "{",
  ];
  await new Promise<void>((resolve) => socket.write(head.join("\r\n"), () => resolve()));
  return socket;
}

test("SIGTERM: requests under way are answered, jobs are given back, the exit code is 0 within 10 s, whoever stalls", async () => {
  await using site = await openSite();
  const load = startLoad(site);
  const { ledger } = load;
  await load.answers(150);
  const waiting = await Promise.all(Array.from({ length: 16 }, () => create(site, ledger, vm("tenant-1"))));
  const slow = await create(site, ledger, vm("tenant-1", { simulate: { stepMs: 500 } }));
  await site.call(site.first.url, "POST", `${requests}/${slow}/start`);
  await eventually(
    async () => (await site.rows("SELECT 1 FROM jobs WHERE leaseOwner IS NOT NULL")).length > 0,
  );

  const held = await hold(site, waiting[0] as string);
  const starts = waiting.map((id) => site.call(site.first.url, "POST", `${requests}/${id}/start`));
  await held.untilBlocked();
  for (let i = 0; i < 3; i++) await site.call(site.first.url, "GET", "/health");
  const stalled = await stall(site.first.url);
  const termMs = performance.now();
  const exit = site.first.end();
  await eventually(() => refuses(site.first.url));
  await held.release();
  expect((await Promise.all(starts)).map(({ status }) => status)).toEqual(Array(16).fill(200));
  expect(await exit).toBe(0);
  stalled.destroy();
  const exitMs = Math.round(performance.now() - termMs);
  expect(exitMs).toBeLessThan(10_000);
  const leased = await site.rows("SELECT id FROM jobs WHERE leaseOwner IS NOT NULL");
  expect(leased).toEqual([]);

  await site.start();
  await load.answers(50);
  await load.end();
  const settledMs = await settle(site, ledger);
  console.log(`SIGTERM: ended after ${exitMs} ms; the next program settled after ${settledMs} ms`);
  expect(await brokenPromises(site, ledger)).toEqual([]);
});
