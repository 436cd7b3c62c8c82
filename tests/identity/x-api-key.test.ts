import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { type House, openHouse, type Person, vm } from "../house.ts";
import { expectProblem } from "../http/answers.ts";
import { eventually } from "../streams/bus.ts";

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
const exchange = (key: string) => keyed(key, "POST", "/api/identity/auth/service-token");
const lastUseOf = async (id: string): Promise<Date | null> =>
  (await house.rows("SELECT lastUsedAt FROM api_keys WHERE id = ?", [id]))[0].lastUsedAt;

describe("X-API-Key", () => {
  test("acts inside its tenant as its users do", async () => {
    const { key, id } = (await create()).data;
    const answer = await keyed(key, "POST", requests, vm(customer.tenantId));
    expect(answer.status).toBe(201);
    expect(answer.data).toMatchObject({ tenantId: customer.tenantId, createdBy: id });
    const request = `${requests}/${answer.data.id}`;
    expect((await keyed(key, "GET", request)).data).toEqual((await customer.call("GET", request)).data);
    const { data: trail } = await customer.call("GET", `${request}/audit`);
    expect(trail[0].actor).toEqual({ id, kind: "user" });
  });

  test("does not reach beyond its tenant", async () => {
    const { key } = (await create()).data;
    const other = await house.signUp();
    const { data } = await other.call("POST", requests, vm(other.tenantId));
    expectProblem(await keyed(key, "GET", `${requests}/${data.id}`), "not_found");
    expectProblem(await keyed(key, "POST", requests, vm(other.tenantId)), "tenant_mismatch");
    expectProblem(await keyed(key, "POST", `${requests}/${data.id}/start`), "forbidden");
  });

  test("has no role, whoever made it", async () => {
    const { key } = (await create({}, admin)).data;
    const { data } = await customer.call("POST", requests, vm(customer.tenantId));
    expectProblem(await keyed(key, "GET", `${requests}/${data.id}`), "not_found");
    expectProblem(await keyed(key, "POST", `${requests}/${data.id}/start`), "forbidden");
    expectProblem(await keyed(key, "POST", path, { name: "relay", kind: "service" }), "forbidden");
  });

  test("outlives the user who made it", async () => {
    const person = await house.signUp();
    const { key } = (await create({}, person)).data;
    await admin.call("PATCH", `/api/identity/users/${person.id}`, { disabled: true });
    expect((await keyed(key)).status).toBe(200);
  });

  test("belongs to no user", async () => {
    const { key } = (await create()).data;
    expectProblem(await keyed(key, "GET", "/api/identity/me"), "not_found");
  });

  test("is taken under any name of the header, and under /api/v1", async () => {
    const { key } = (await create()).data;
    for (const name of ["x-api-key", "X-Api-Key", "X-API-KEY"])
      expect(
        (await house.call("GET", "/api/v1/provisioning/requests", undefined, { [name]: key })).status,
      ).toBe(200);
  });

  test("gives way to a Bearer token", async () => {
    const { key } = (await create()).data;
    const other = await house.signUp();
    const { data } = await keyed(key, "GET", "/api/identity/me", undefined, {
      Authorization: `Bearer ${other.token}`,
    });
    expect(data.id).toBe(other.id);
    const broken = await keyed(key, "GET", requests, undefined, { Authorization: "Bearer a.b.c" });
    expectProblem(broken, "unauthenticated");
    const basic = await keyed(key, "GET", requests, undefined, { Authorization: "Basic YTpi" });
    expect(basic.status).toBe(200);
  });

  test("opens no door with a key of kind service", async () => {
    const { key } = (await create({ kind: "service" }, admin)).data;
    for (const target of [requests, path, "/api/identity/me", "/api/identity/users"])
      expectProblem(await keyed(key, "GET", target), "unauthenticated");
  });

  for (const key of ["", "lf_", "lf_unknown", "ü", `lf_${"a".repeat(43)}`, "%", "'", "x".repeat(5000)])
    test(`refuses ${JSON.stringify(key.slice(0, 20))}`, async () => {
      const answer = await keyed(key);
      expectProblem(answer, "unauthenticated");
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    });

  test("refuses what is stored of a key, and a key in another case", async () => {
    const { key, id } = (await create()).data;
    const [{ keyHash }] = await house.rows("SELECT keyHash FROM api_keys WHERE id = ?", [id]);
    for (const wrong of [keyHash, id, `lf_${keyHash}`, key.toUpperCase(), key.slice(0, -1), `${key}A`])
      expectProblem(await keyed(wrong), "unauthenticated");
  });

  test("ends at its time", async () => {
    const began = now;
    const expiresAt = new Date(began.getTime() + 60_000).toISOString();
    const { key } = (await create({ expiresAt })).data;
    now = new Date(began.getTime() + 59_999);
    expect((await keyed(key)).status).toBe(200);
    now = new Date(began.getTime() + 60_000);
    expectProblem(await keyed(key), "unauthenticated");
    now = began;
  });

  test("keeps Idempotency-Keys apart from those of others", async () => {
    const keys = [(await create()).data.key, (await create()).data.key];
    const headers = { "Idempotency-Key": "the same" };
    const made = await Promise.all(
      keys.map((key) => keyed(key, "POST", requests, vm(customer.tenantId), headers)),
    );
    expect(made.map(({ status }) => status)).toEqual([201, 201]);
    expect(made[0]?.data.id).not.toBe(made[1]?.data.id);
    const again = await keyed(keys[0], "POST", requests, vm(customer.tenantId), headers);
    expect([again.data.id, again.headers.get("idempotency-replayed")]).toEqual([made[0]?.data.id, "true"]);
  });
});

describe("lastUsedAt", () => {
  const use = { tenant: (key: string) => keyed(key), service: (key: string) => exchange(key) };
  for (const kind of ["tenant", "service"] as const)
    test(`tells when a ${kind} key was used, to the minute`, async () => {
      const began = now;
      const { id, key, ...made } = (await create({ kind }, admin)).data;
      const after = async (ms: number, noted: number) => {
        now = new Date(began.getTime() + ms);
        expect((await use[kind](key)).status).toBe(200);
        await eventually(async () => (await lastUseOf(id))?.getTime() === began.getTime() + noted);
      };
      await after(0, 0);
      await after(59_999, 0);
      await after(60_000, 60_000);
      const { data } = await admin.call("GET", `${path}?limit=100`);
      const shown = data.find((each: any) => each.id === id);
      const { key: _, ...rest } = { ...made, id, key };
      expect(shown).toEqual({ ...rest, lastUsedAt: new Date(began.getTime() + 60_000).toISOString() });
      now = began;
    });

  test("is written once however often a key is used within a minute", async () => {
    const { id, key } = (await create()).data;
    await Promise.all(Array.from({ length: 40 }, () => keyed(key)));
    await eventually(async () => (await lastUseOf(id)) !== null);
    const send = spyOn(house.program.landfall.mailbox, "send");
    try {
      await Promise.all(Array.from({ length: 40 }, () => keyed(key)));
      expect(send).not.toHaveBeenCalled();
    } finally {
      send.mockRestore();
    }
  });

  test("does not keep a request waiting", async () => {
    const { id, key } = (await create()).data;
    const lock = await house.world.pool.getConnection();
    await lock.beginTransaction();
    try {
      await lock.query("SELECT id FROM api_keys WHERE id = ? FOR UPDATE", [id]);
      expect((await keyed(key)).status).toBe(200);
      expect(await lastUseOf(id)).toBeNull();
    } finally {
      await lock.rollback();
      lock.release();
    }
    await eventually(async () => (await lastUseOf(id)) !== null);
  });
});
