import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { adminEmail, password, vm } from "../house.ts";
import { requests } from "../provisioning/stages.ts";
import { isUnavailable, type Load, startLoad } from "./load.ts";
import { brokenPromises, settle } from "./promises.ts";
import { type OwnSite, openSite } from "./site.ts";

setDefaultTimeout(60_000);

let site: OwnSite;
let load: Load;
beforeAll(async () => {
  site = await openSite({ durable: true });
  load = startLoad(site);
  await load.answers(200);
  await site.killMariadb();
});
afterAll(() => site?.[Symbol.asyncDispose]());

describe("while MariaDB is away", () => {
  const id = "01a1fa97-ae50-7175-8d6a-285de43dbf51";
  const calls: [method: string, path: string, body?: object][] = [
    ["GET", "/api/ready"],
    ["GET", requests],
    ["GET", `${requests}/${id}`],
    ["GET", `${requests}/${id}/audit`],
    ["POST", requests, vm("tenant-1")],
    ["POST", `${requests}/${id}/start`],
    ["POST", "/api/identity/auth/login", { email: adminEmail, password }],
    ["GET", "/api/identity/api-keys"],
  ];
  for (const [method, path, body] of calls)
    test(`${method} ${path.replace(id, "{id}")} says to come again`, async () => {
      const answer = await site.call(site.first.url, method, path, body);
      expect([answer.status, isUnavailable(answer)]).toEqual([503, true]);
      expect(((await answer.json()) as any).code).toBe("unavailable");
    });

  test("the program is alive", async () => {
    expect((await site.call(site.first.url, "GET", "/api/health")).status).toBe(200);
  });
});

describe("when MariaDB is back", () => {
  let backMs = 0;

  test("the same program serves within 3 s", async () => {
    await site.restartMariadb();
    await site.ageLeases(-60); // whoever waits for a lease to end waits too long
    backMs = performance.now();
    await load.answers(1);
    const servesMs = Math.round(performance.now() - backMs);
    console.log(`MariaDB back: serving after ${servesMs} ms`);
    expect(servesMs).toBeLessThan(3000);
    await load.answers(50);
    await load.end();
  });

  test("its worker and relay go on without waiting for leases, and nothing answered is lost", async () => {
    await settle(site, load.ledger);
    const settledMs = Math.round(performance.now() - backMs);
    console.log(`MariaDB back: settled after ${settledMs} ms`);
    expect(await brokenPromises(site, load.ledger)).toEqual([]);
    expect(load.ledger.unavailable).toBeGreaterThan(0);
    expect(load.ledger.broken).toBe(0);
  });
});

test("SIGTERM ends the program with code 0 while MariaDB is away", async () => {
  await site.killMariadb();
  const began = performance.now();
  expect(await site.first.end()).toBe(0);
  expect(performance.now() - began).toBeLessThan(10_000);
});
