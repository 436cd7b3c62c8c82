import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Load, startLoad } from "./load.ts";
import { brokenPromises, type Published, published, settle } from "./promises.ts";
import { type OwnSite, openSite } from "./site.ts";

setDefaultTimeout(60_000);

let site: OwnSite;
let load: Load;
beforeAll(async () => {
  site = await openSite();
  load = startLoad(site);
});
afterAll(() => site?.[Symbol.asyncDispose]());

describe("under load", () => {
  let earlier: Published[] = [];

  test("commands are answered while Redis is away", async () => {
    await load.answers(150);
    await site.killRedis();
    await load.answers(150);
    await site.restartRedis();
    await load.answers(150);
    expect([load.ledger.unavailable, load.ledger.broken, load.ledger.faults]).toEqual([0, 0, []]);
  });

  test("commands are answered while Redis loses everything", async () => {
    earlier = await published(site, (last) => last.flushall());
    await load.answers(150);
    await load.end();
    expect([load.ledger.unavailable, load.ledger.broken, load.ledger.faults]).toEqual([0, 0, []]);
  });

  test("afterwards no event is lost or doubled, and each was handled once", async () => {
    const settledMs = await settle(site, load.ledger);
    console.log(`Redis killed and emptied: settled after ${settledMs} ms`);
    expect(await brokenPromises(site, load.ledger, earlier)).toEqual([]);
  });
});

test("SIGTERM ends the program with code 0 while Redis is away", async () => {
  await site.killRedis();
  const began = performance.now();
  expect(await site.first.end()).toBe(0);
  expect(performance.now() - began).toBeLessThan(10_000);
});
