import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { ServiceError } from "../../schema/errors.ts";
import { type AccessTokens, openAccessTokens } from "../../src/identity/access-tokens.ts";
import { openSigningKeys } from "../../src/identity/signing-keys.ts";
import { startLandfall } from "../../src/start.ts";
import { createWorld } from "../../src/world.ts";
import { type House, houseOf, openHouse } from "../house.ts";
import { eventually } from "../streams/bus.ts";
import { es256, keysOf, partsOf, signedBy } from "./forge.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const leadMs = 10 * minuteMs;

const began = new Date();
let now = began;
/** The clock of all programs stands at so long after the beginning. */
const at = (ms: number) => {
  now = new Date(began.getTime() + ms);
};

let house: House;
const open: { stop(): Promise<void> }[] = [];
beforeAll(async () => {
  house = await openHouse({ samples: false });
});
afterAll(() => house.close());
beforeEach(async () => {
  at(0);
  await house.rows("DELETE FROM signing_keys");
});
afterEach(async () => {
  for (const each of open.splice(0)) await each.stop();
});

/** What a further program has that makes and checks tokens. */
async function start() {
  const world = createWorld(house.program.landfall.config, { now: () => now });
  const tokens = await openAccessTokens(world, { issuer: "landfall", audience: "landfall" });
  open.push({ stop: () => tokens.stop().then(() => world.close()) });
  return { ...tokens, world };
}
const caller = { id: "user-1", kind: "user", tenantId: "tenant-1", roles: [] } as const;
const stored = async () =>
  (await house.rows("SELECT id FROM signing_keys ORDER BY createdAt")).map(({ id }) => id as string);
const published = (tokens: AccessTokens) => tokens.jwks().keys.map(({ kid }) => kid as string);
const kidOf = (token: string): string => partsOf(token).header["kid"];
/** `good`, or the code of the refusal. */
const verdict = async (tokens: AccessTokens, token: string): Promise<string> => {
  try {
    expect(await tokens.verify(token)).toEqual(caller);
    return "good";
  } catch (error) {
    return error instanceof ServiceError ? error.code : String(error);
  }
};

describe("the first signing key", () => {
  test("is one for all programs that start at once, and signs at once", async () => {
    const programs = await Promise.all([start(), start(), start(), start()]);
    const keys = await stored();
    expect(keys).toHaveLength(1);
    for (const issuer of programs) {
      const token = issuer.issue(caller);
      expect([kidOf(token)]).toEqual(keys);
      for (const reader of programs) expect(await verdict(reader, token)).toBe("good");
    }
  });
});

describe("the next signing key", () => {
  test("is not made before the last one is 30 days old", async () => {
    await start();
    at(30 * dayMs - 1);
    await start();
    expect(await stored()).toHaveLength(1);
    at(30 * dayMs);
    await start();
    expect(await stored()).toHaveLength(2);
  });

  test("is one for all programs that notice at once", async () => {
    await start();
    at(31 * dayMs);
    const programs = await Promise.all([start(), start(), start(), start()]);
    const keys = await stored();
    expect(keys).toHaveLength(2);
    for (const tokens of programs) expect(published(tokens)).toEqual(keys);
  });

  test("is published ten minutes before it signs", async () => {
    await start();
    at(30 * dayMs);
    const tokens = await start();
    const [old, next] = (await stored()) as [string, string];
    expect(published(tokens)).toEqual([old, next]);
    at(30 * dayMs + leadMs - 1);
    expect(kidOf(tokens.issue(caller))).toBe(old);
    at(30 * dayMs + leadMs);
    const token = tokens.issue(caller);
    expect(kidOf(token)).toBe(next);
    expect(signedBy(token, tokens.jwks().keys[1] as Record<string, string>)).toBe(true);
  });

  test("is taken at once by a program that has not heard of it", async () => {
    const first = await start();
    at(30 * dayMs);
    const other = await start();
    at(30 * dayMs + leadMs);
    const token = other.issue(caller);
    expect(published(first)).not.toContain(kidOf(token));
    expect(await verdict(first, token)).toBe("good");
    expect(published(first)).toEqual(published(other));
  });

  test("is made by a program that runs on, which lets go of the old one in time", async () => {
    const world = createWorld(house.program.landfall.config, { now: () => now });
    const keys = await openSigningKeys(world, 5);
    open.push({ stop: () => keys.stop().then(() => world.close()) });
    const [old] = await stored();
    at(30 * dayMs);
    await eventually(() => keys.all().length === 2);
    expect(keys.current().id).toBe(old as string);
    at(30 * dayMs + 30 * minuteMs);
    await eventually(() => keys.all().length === 1);
    expect(await stored()).toEqual([keys.current().id]);
    expect(keys.current().id).not.toBe(old as string);
  });

  test("has its private half sealed", async () => {
    await start();
    at(30 * dayMs);
    await start();
    const rows = await house.rows("SELECT * FROM signing_keys");
    expect(rows).toHaveLength(2);
    for (const { sealedPrivateKey, publicJwk } of rows) {
      expect(sealedPrivateKey).not.toContain("PRIVATE KEY");
      expect(Object.keys(publicJwk).sort()).toEqual(["crv", "kty", "x", "y"]);
      expect(house.world.vault.open(sealedPrivateKey)).toContain("BEGIN PRIVATE KEY");
    }
  });
});

describe("an old signing key", () => {
  test("stays until the last token that it signed has ended, and then its row goes", async () => {
    await start();
    const [old] = (await stored()) as [string];
    at(30 * dayMs);
    const tokens = await start();
    at(30 * dayMs + leadMs - 1);
    const token = tokens.issue(caller);
    expect(kidOf(token)).toBe(old);
    at(30 * dayMs + leadMs + 15 * minuteMs - 2000);
    expect(await verdict(await start(), token)).toBe("good");
    at(30 * dayMs + leadMs + 15 * minuteMs + 1000);
    expect(await verdict(await start(), token)).toBe("token_expired");
    at(30 * dayMs + 30 * minuteMs);
    const last = await start();
    expect(await stored()).toHaveLength(1);
    expect(published(last)).not.toContain(old);
    expect(await verdict(last, token)).toBe("unauthenticated");
  });

  test("is of no more use once its row was taken out, in programs that have it too", async () => {
    const first = await start();
    const token = first.issue(caller);
    expect(await verdict(first, token)).toBe("good");
    const { own } = await keysOf(house);
    await house.rows("DELETE FROM signing_keys");
    const other = await start();
    expect(await verdict(other, token)).toBe("unauthenticated");
    // It looks at the keys again, here because of a token by one that it does not know.
    expect(await verdict(first, other.issue(caller))).toBe("good");
    for (const held of [token, es256(partsOf(token), own)])
      expect(await verdict(first, held)).toBe("unauthenticated");
  });
});

describe("tokens by keys that do not exist", () => {
  test("make a program look for new keys once a second, however many they are", async () => {
    const tokens = await start();
    const { other } = await keysOf(house);
    const parts = partsOf(tokens.issue(caller));
    const forged = Array.from({ length: 500 }, () =>
      es256({ ...parts, header: { ...parts.header, kid: house.world.newId() } }, other),
    );
    const looks = spyOn(tokens.world.db, "select");
    const before = performance.now();
    const verdicts = await Promise.all(forged.map((token) => verdict(tokens, token)));
    const seconds = Math.floor((performance.now() - before) / 1000);
    expect(new Set(verdicts)).toEqual(new Set(["unauthenticated"]));
    expect(looks.mock.calls.length).toBeWithin(1, 2 + seconds);
  });
});

describe("programs that start at once", () => {
  test("take each other's tokens", async () => {
    const { config } = house.program.landfall;
    const programs = await Promise.all([startLandfall(config), startLandfall(config)]);
    open.push(...programs);
    const houses = programs.map(houseOf);
    for (const issuer of houses) {
      const person = await issuer.signUp();
      for (const reader of houses) {
        const { status } = await reader.call("GET", "/api/identity/me", undefined, {
          Authorization: `Bearer ${person.token}`,
        });
        expect(status).toBe(200);
      }
    }
    expect(await stored()).toHaveLength(1);
  });
});

describe("GET /api/identity/.well-known/jwks.json", () => {
  test("may be kept for five minutes: half of the time for which a key is published before it signs", async () => {
    const { headers } = await house.call("GET", "/api/identity/.well-known/jwks.json");
    expect(headers.get("cache-control")).toBe("public, max-age=300");
  });
});

test("a program with another ENCRYPTION_KEY says so, and does not start", async () => {
  await start();
  const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString("base64");
  const starting = startLandfall({ ...house.program.landfall.config, ENCRYPTION_KEY });
  expect(starting).rejects.toThrow("ENCRYPTION_KEY is not the one that the database was sealed with.");
  await starting.catch(() => {});
});
