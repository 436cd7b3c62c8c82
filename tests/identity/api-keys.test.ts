import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { expectProblem } from "../http/answers.ts";
import { partsOf } from "./forge.ts";

let house: House;
let admin: Person;
let customer: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
});
afterAll(() => house.close());

const path = "/api/identity/api-keys";
const exchange = (key?: string) =>
  house.call(
    "POST",
    "/api/identity/auth/service-token",
    undefined,
    key === undefined ? {} : { "X-API-Key": key },
  );

describe("POST /api/identity/api-keys", () => {
  test("shows the key once", async () => {
    const answer = await customer.call("POST", path, { name: "build server", kind: "tenant" });
    expect(answer.status).toBe(201);
    expect(answer.data).toEqual({
      id: expect.any(String),
      tenantId: customer.tenantId,
      name: "build server",
      kind: "tenant",
      createdBy: customer.id,
      lastUsedAt: null,
      key: expect.stringMatching(/^lf_[A-Za-z0-9_-]{43}$/),
      version: 1,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const { data } = await customer.call("GET", path);
    const { key, ...shown } = answer.data;
    expect(data).toContainEqual(shown);
    expect(JSON.stringify(data)).not.toMatch(/keyHash|"key"/);
  });

  test("stores no key in clear, not even with an Idempotency-Key", async () => {
    const headers = { "Idempotency-Key": "one key" };
    const body = { name: "stored", kind: "tenant" };
    const { key } = (await customer.call("POST", path, body, headers)).data;
    expect((await customer.call("POST", path, body, headers)).data.key).toBe(key);
    const tables = ["api_keys", "idempotent_answers", "outbox_events", "audit_entries"];
    for (const table of tables) {
      const stored = JSON.stringify(await house.rows("SELECT * FROM ??", [table]));
      expect([table, stored.includes(key.slice(3))]).toEqual([table, false]);
    }
  });

  test("makes a service key for an ADMIN alone", async () => {
    const body = { name: "relay", kind: "service" };
    expect((await admin.call("POST", path, body)).status).toBe(201);
    const others = [customer, await house.staff("OPS"), await house.staff("SECURITY", "FINANCE")];
    for (const person of others) expectProblem(await person.call("POST", path, body), "forbidden");
    expectProblem(await (await house.service(admin)).call("POST", path, body), "forbidden");
  });
});

describe("GET /api/identity/api-keys", () => {
  test("lists the own tenant's keys alone", async () => {
    const other = await house.signUp();
    const { data } = await other.call("POST", path, { name: "theirs", kind: "tenant" });
    expect((await other.call("GET", path)).data.map(({ id }: any) => id)).toEqual([data.id]);
    for (const person of [customer, admin]) {
      expect(JSON.stringify((await person.call("GET", path)).data)).not.toContain(data.id);
    }
  });
});

describe("POST /api/identity/auth/service-token", () => {
  test("gives a token of 15 minutes that acts as a service", async () => {
    const { data } = await admin.call("POST", path, { name: "relay", kind: "service" });
    const answer = await exchange(data.key);
    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({ accessToken: expect.any(String), tokenType: "Bearer", expiresIn: 900 });
    const { claims } = partsOf(answer.data.accessToken);
    expect(claims).toMatchObject({ sub: data.id, kind: "service", tenantId: null, roles: [] });
    expect(claims["exp"] - claims["iat"]).toBe(900);
  });

  test("notes when a key was last used", async () => {
    const { data } = await admin.call("POST", path, { name: "noted", kind: "service" });
    await exchange(data.key);
    const { data: keys } = await admin.call("GET", `${path}?limit=100`);
    const { key, lastUsedAt, ...rest } = data;
    const found = keys.find(({ id }: any) => id === data.id);
    expect(found).toEqual({ ...rest, lastUsedAt: expect.any(String) });
    expect(found.lastUsedAt >= data.createdAt).toBe(true);
  });

  test("refuses a tenant's key", async () => {
    const { data } = await customer.call("POST", path, { name: "build server", kind: "tenant" });
    expectProblem(await exchange(data.key), "forbidden");
  });

  for (const key of [undefined, "", "lf_", "lf_unknown", "ü", `lf_${"a".repeat(43)}`, "%"])
    test(`refuses the key ${JSON.stringify(key)}`, async () => {
      expectProblem(await exchange(key), "unauthenticated");
    });

  test("does not take a key in place of a token", async () => {
    const { data } = await admin.call("POST", path, { name: "misused", kind: "service" });
    const answer = await house.call("GET", "/api/identity/me", undefined, {
      Authorization: `Bearer ${data.key}`,
    });
    expectProblem(answer, "unauthenticated");
  });
});
