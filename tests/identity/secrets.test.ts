import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { hashOf } from "../../src/identity/secrets.ts";
import { ownConfig } from "../config.ts";
import { type Answer, type House, openHouse, type Person } from "../house.ts";
import { eventually } from "../streams/bus.ts";

/* Everything that gives or takes a secret is done once; then every place that could have kept one is looked at. */

let house: House;
let written: { mock: { calls: unknown[][] }; mockRestore(): void };
/** What must be nowhere. */
const secrets: Record<string, string> = {
  "the password": "a password of mine alone",
  "the new user's password": "another password of mine",
  "the wrong password": "a password that is not mine",
};
/** Every answer but those that give a secret. */
const others: Answer[] = [];

beforeAll(async () => {
  written = spyOn(process.stderr, "write").mockImplementation(() => true);
  house = await openHouse({ config: { ...ownConfig(), LOG_LEVEL: "debug" }, samples: false });
  const admin = await house.admin();
  const account = await signIn();
  const person = { Authorization: `Bearer ${account.accessToken}` };
  await makeKeys(admin, person);
  others.push(
    await house.call("GET", "/api/identity/me", undefined, person),
    await house.call("GET", "/api/identity/users", undefined, person),
    await house.call("GET", "/api/identity/api-keys", undefined, person),
    await admin.call("GET", "/api/identity/users?limit=100"),
  );
});
afterAll(async () => {
  written.mockRestore();
  await house.close();
});

async function signIn() {
  const email = "ada@example.com";
  const password = secrets["the password"];
  const auth = (name: string, body: object) => house.call("POST", `/api/identity/auth/${name}`, body);
  const registered = await auth("register", { email, password, name: "Ada" });
  const { refreshToken: first } = registered.data;
  const { refreshToken: second } = (await auth("refresh", { refreshToken: first })).data;
  const { data } = await auth("login", { email, password });
  Object.assign(secrets, {
    "the first refresh token": first,
    "the second refresh token": second,
    "the refresh token of the other session": data.refreshToken,
    "an access token": data.accessToken,
  });
  others.push(
    await auth("refresh", { refreshToken: first }),
    await auth("logout", { refreshToken: data.refreshToken }),
    await auth("login", { email, password: secrets["the wrong password"] }),
    await auth("register", { email, password, name: "Ada" }),
  );
  return data;
}

async function makeKeys(admin: Person, person: Record<string, string>) {
  const headers = { ...person, "Idempotency-Key": "kept" };
  const user = { email: "grace@example.com", name: "Grace", password: secrets["the new user's password"] };
  // With it alone others could try passwords as fast as they like.
  secrets["a plain hash of a body with a password"] = hashOf(JSON.stringify(user));
  others.push(await house.call("POST", "/api/identity/users", user, headers));
  const key = { name: "tools", kind: "tenant" };
  const made = await house.call("POST", "/api/identity/api-keys", key, headers);
  const { data: service } = await admin.call("POST", "/api/identity/api-keys", {
    name: "x",
    kind: "service",
  });
  const exchange = (key: string) =>
    house.call("POST", "/api/identity/auth/service-token", undefined, { "X-API-Key": key });
  const token = await exchange(service.key);
  Object.assign(secrets, {
    "the API key": made.data.key,
    "the service's key": service.key,
    "the service token": token.data.accessToken,
  });
  others.push(
    await exchange(made.data.key),
    await house.call("GET", "/api/identity/users", undefined, { "X-API-Key": made.data.key }),
    await house.call("GET", "/api/identity/users", undefined, { "X-API-Key": `${made.data.key}x` }),
  );
}

/** The names of the secrets that a text holds, whole or in their telling part. */
const found = (text: string): string[] =>
  Object.entries(secrets).flatMap(([name, secret]) => (text.includes(secret.slice(3)) ? [name] : []));

test("every secret is known, and would be found", () => {
  expect(found(Object.values(secrets).join(" "))).toEqual(Object.keys(secrets));
});

test("a secret is in no row of any table", async () => {
  const tables = await house.rows(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()",
  );
  expect(tables.length).toBeGreaterThan(10);
  for (const { name } of tables) {
    const rows = await house.rows("SELECT * FROM ??", [name]);
    expect([name, found(textOf(rows))]).toEqual([name, []]);
  }
  const stored = await house.rows("SELECT passwordHash FROM users WHERE passwordHash IS NOT NULL");
  for (const { passwordHash } of stored) expect(passwordHash).toStartWith("$argon2id$");
});

/** Binary columns as the text that they hold. */
const textOf = (rows: object[]) =>
  JSON.stringify(
    rows.map((row) =>
      Object.values(row).map((value) => (Buffer.isBuffer(value) ? value.toString("latin1") : value)),
    ),
  );

test("a secret is in no event", async () => {
  const { redis, platform } = house.world;
  const [{ total }] = await house.rows("SELECT COUNT(*) AS total FROM outbox_events");
  expect(total).toBeGreaterThan(4);
  const streams = async () => {
    const names = (await redis.keys(`${platform}.identity.*`)).sort();
    return Promise.all(names.map((name) => redis.xrange(name, "-", "+")));
  };
  await eventually(async () => (await streams()).flat().length === total);
  expect(found(JSON.stringify(await streams()))).toEqual([]);
});

test("a secret is in no answer but the one that gives it", () => {
  for (const { body } of others) {
    expect(found(JSON.stringify(body))).toEqual([]);
    expect(JSON.stringify(body)).not.toMatch(/hash|argon2|secret/i);
  }
});

test("a secret is in no line of the log", () => {
  const lines = written.mock.calls.map(([line]) => String(line)).join("");
  expect(lines).toContain("session ended by a refresh");
  expect(found(lines)).toEqual([]);
});
