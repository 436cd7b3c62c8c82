import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createPublicKey, type KeyObject } from "node:crypto";
import { type House, openHouse, type Person } from "../house.ts";
import { expectProblem } from "../http/answers.ts";
import { es256, hs256, keysOf, type Parts, partsOf, tampered, unsigned } from "./forge.ts";

let now = new Date();
let house: House;
let admin: Person;
let good: Parts;
let keys: { own: KeyObject; other: KeyObject };
beforeAll(async () => {
  house = await openHouse({ samples: false, now: () => now });
  admin = await house.admin();
  good = partsOf(admin.token);
  keys = await keysOf(house);
});
afterAll(() => house.close());

const me = (authorization: string) =>
  house.call("GET", "/api/identity/me", undefined, { Authorization: authorization });
const claiming = (claims: object): Parts => ({ ...good, claims: { ...good.claims, ...claims } });
const heading = (header: object): Parts => ({ ...good, header: { ...good.header, ...header } });
const publicPem = () => createPublicKey(keys.own).export({ format: "pem", type: "spki" }).toString();
const without = (name: string): Parts => {
  const { [name]: _, ...claims } = good.claims;
  return { ...good, claims };
};

describe("a token signed with the program's own key", () => {
  test("is good", async () => {
    expect((await me(`Bearer ${es256(good, keys.own)}`)).status).toBe(200);
    expect((await me(`bearer ${es256(claiming({ jti: "x" }), keys.own)}`)).status).toBe(200);
  });
});

/** What somebody may send in place of a token of ours. */
const forged: Record<string, () => string> = {
  nothing: () => "",
  "no JWT": () => "abc",
  "three dots": () => "..",
  "not base64": () => "{}.{}.{}",
  "JSON that is no object": () => `${Buffer.from("5").toString("base64url")}.e30.x`,
  "alg none": () => unsigned(good),
  "alg None": () => unsigned(good, "None"),
  "alg NONE without a kid": () => unsigned(heading({ kid: undefined }), "NONE"),
  "no signature": () => unsigned(good, "ES256"),
  "HS256 with the public key": () => hs256(good, publicPem()),
  "HS256 with the public key, trimmed": () => hs256(good, publicPem().trim()),
  "HS256 with an empty secret": () => hs256(good, ""),
  "another key under our kid": () => es256(good, keys.other),
  "another key that it brings along": () => {
    const jwk = createPublicKey(keys.other).export({ format: "jwk" });
    return es256(heading({ jwk, kid: undefined }), keys.other);
  },
  "an unknown kid": () => es256(heading({ kid: "01930b1c-7d5e-7a3b-8c21-4f9d6e0a1b2c" }), keys.own),
  "no kid": () => es256(heading({ kid: undefined }), keys.own),
  "a header that says ES384": () => es256(heading({ alg: "ES384" }), keys.own),
  "claims of another under our signature": () => tampered(admin.token, { sub: "someone" }),
  "a later end under our signature": () => tampered(admin.token, { exp: good.claims["exp"] + 900 }),
  "a signature cut short": () => admin.token.slice(0, -4),
  "no exp": () => es256(without("exp"), keys.own),
  "an exp that is text": () => es256(claiming({ exp: "4102444800" }), keys.own),
  "no issuer": () => es256(without("iss"), keys.own),
  "another issuer": () => es256(claiming({ iss: "elsewhere" }), keys.own),
  "no audience": () => es256(without("aud"), keys.own),
  "another audience": () => es256(claiming({ aud: "elsewhere" }), keys.own),
  "no subject": () => es256(without("sub"), keys.own),
  "no roles": () => es256(without("roles"), keys.own),
  "a role that we do not have": () => es256(claiming({ roles: ["ROOT"] }), keys.own),
  "a kind that may not sign in": () => es256(claiming({ kind: "system" }), keys.own),
  "a start that is to come": () => es256(claiming({ nbf: good.claims["exp"] }), keys.own),
};

describe("a forged token", () => {
  for (const [name, make] of Object.entries(forged))
    test(`is refused: ${name}`, async () => {
      const answer = await me(`Bearer ${make()}`);
      expectProblem(answer, "unauthenticated");
      if (make()) expect(answer.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
    });

  test("stays refused once the real one was seen", async () => {
    expect((await me(`Bearer ${admin.token}`)).status).toBe(200);
    expectProblem(await me(`Bearer ${tampered(admin.token, {})}x`), "unauthenticated");
  });
});

describe("an expired token", () => {
  test("is told apart from a forged one", async () => {
    const past = Math.floor(now.getTime() / 1000) - 1;
    const answer = await me(`Bearer ${es256(claiming({ exp: past }), keys.own)}`);
    expectProblem(answer, "token_expired");
    expect(answer.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
    const both = await me(`Bearer ${es256(claiming({ exp: past }), keys.other)}`);
    expectProblem(both, "unauthenticated");
  });

  test("ends after 15 minutes, also one that was good a moment ago", async () => {
    const began = now;
    const { token } = await house.signUp();
    const after = async (seconds: number) => {
      now = new Date(began.getTime() + seconds * 1000);
      return (await me(`Bearer ${token}`)).body.code;
    };
    expect([await after(0), await after(898), await after(901)]).toEqual([
      undefined,
      undefined,
      "token_expired",
    ]);
    now = began;
  });
});
