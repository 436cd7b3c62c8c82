import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startLandfall } from "../../src/start.ts";
import { type House, houseOf, openHouse, type Person } from "../house.ts";
import { expectInvalid, expectProblem } from "../http/answers.ts";
import { partsOf } from "./forge.ts";

let now = new Date();
let house: House;
let admin: Person;
let customer: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false, now: () => now });
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
});
afterAll(() => house.close());

const path = "/api/identity/api-keys";
const requests = "/api/provisioning/requests";
const create = (more: object = {}, person = customer) =>
  person.call("POST", path, { name: "build server", kind: "tenant", ...more });
/** Calls with an API key. */
const keyed = (key: string, method = "GET", target = requests, body?: object, headers = {}) =>
  house.call(method, target, body, { "X-API-Key": key, ...headers });
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
      scopes: [],
      expiresAt: null,
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

  test("keeps its scopes and its end", async () => {
    const expiresAt = "2099-12-31T12:00:00.000Z";
    const scopes = ["provisioning:read", "dns:write"];
    const { data } = await create({ scopes, expiresAt: "2099-12-31T14:00:00+02:00" });
    expect(data).toMatchObject({ scopes, expiresAt });
    const { data: keys } = await customer.call("GET", `${path}?limit=100`);
    expect(keys.find(({ id }: any) => id === data.id)).toMatchObject({ scopes, expiresAt });
  });

  test("points at each scope that there is not", async () => {
    const scopes = ["dns:read", "dns", "dns:admin", "clusters:read", "DNS:READ", ""];
    expectInvalid(await create({ scopes }), "/scopes/1", "/scopes/2", "/scopes/3", "/scopes/4", "/scopes/5");
    const areas = ["provisioning", "dns", "quotas", "webhooks", "products", "notifications", "orders"];
    const all = [...areas, "billing", "support"].flatMap((area) => [`${area}:read`, `${area}:write`]);
    expect((await create({ scopes: all })).data.scopes).toEqual(all);
  });

  test("takes an end that lies in the future alone", async () => {
    for (const ms of [-1, 0]) {
      const expiresAt = new Date(now.getTime() + ms).toISOString();
      expectInvalid(await create({ expiresAt }), "/expiresAt");
    }
    const expiresAt = new Date(now.getTime() + 1).toISOString();
    expect((await create({ expiresAt })).data.expiresAt).toBe(expiresAt);
  });

  test("gives a service key no scopes, since its token would not know them", async () => {
    const body = { name: "relay", kind: "service", scopes: ["orders:read"] };
    expectInvalid(await admin.call("POST", path, body), "/scopes");
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

describe("DELETE /api/identity/api-keys/{id}", () => {
  test("takes a service's key from an ADMIN alone", async () => {
    const { data } = await admin.call("POST", path, { name: "relay", kind: "service" });
    // Staff share the ADMIN's tenant.
    for (const person of [await house.staff("PRODUCT"), await house.staff("SECURITY")])
      expectProblem(await person.call("DELETE", `${path}/${data.id}`), "forbidden");
    expect((await admin.call("DELETE", `${path}/${data.id}`)).data).toEqual({ id: data.id, deleted: true });
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

  test("refuses a key past its end", async () => {
    const began = now;
    const expiresAt = new Date(began.getTime() + 60_000).toISOString();
    const { data } = await create({ kind: "service", expiresAt }, admin);
    now = new Date(began.getTime() + 59_999);
    expect((await exchange(data.key)).status).toBe(200);
    now = new Date(began.getTime() + 60_000);
    expectProblem(await exchange(data.key), "unauthenticated");
    now = began;
  });

  test("refuses a key that was deleted", async () => {
    const { data } = await create({ kind: "service" }, admin);
    await admin.call("DELETE", `${path}/${data.id}`);
    expectProblem(await exchange(data.key), "unauthenticated");
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

describe("DELETE /api/identity/api-keys/{id}", () => {
  test("ends the key at once, for every program", async () => {
    const program = await startLandfall(house.program.landfall.config);
    const second = houseOf(program);
    const { id, key } = (await create()).data;
    expect((await keyed(key)).status).toBe(200);
    const answer = await customer.call("DELETE", `${path}/${id}`);
    expect([answer.status, answer.data]).toEqual([200, { id, deleted: true }]);
    for (const door of [house, second])
      expectProblem(await door.call("GET", requests, undefined, { "X-API-Key": key }), "unauthenticated");
    await program.stop();
    expect(JSON.stringify((await customer.call("GET", `${path}?limit=100`)).data)).not.toContain(id);
    expect(await house.rows("SELECT id FROM api_keys WHERE id = ?", [id])).toEqual([]);
  });

  test("finds it once", async () => {
    const { id } = (await create()).data;
    const remove = () => customer.call("DELETE", `${path}/${id}`);
    const answers = await Promise.all([remove(), remove(), remove()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
  });

  test("leaves another tenant's keys, to an ADMIN too", async () => {
    const { id, key } = (await create()).data;
    for (const stranger of [admin, await house.signUp()])
      expectProblem(await stranger.call("DELETE", `${path}/${id}`), "not_found");
    expect((await keyed(key)).status).toBe(200);
  });

  test("can be done with an unscoped key, by itself too", async () => {
    const { id, key } = (await create()).data;
    expect((await keyed(key, "DELETE", `${path}/${id}`)).status).toBe(200);
    expectProblem(await keyed(key), "unauthenticated");
  });
});
