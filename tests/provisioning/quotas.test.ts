import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { resourceTypes } from "../../schema/provisioning/specification.ts";
import { type House, openHouse, type Person } from "../house.ts";
import { expectInvalid, expectProblem } from "../http/answers.ts";
import { at, newTenant, path, setQuota, usageOf } from "./quotas.ts";

let house: House;
let second: House;
let admin: Person;
let customer: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  second = await openHouse({ config: house.program.landfall.config, samples: false });
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
});
afterAll(async () => {
  await second.program.stop();
  await house.close();
});

const put = (tenantId: string, limits: object, headers?: Record<string, string>, type = "VM") =>
  admin.call("PUT", `${path}/${tenantId}/${type}`, { limits }, headers);
const versionsOf = (tenantId: string) =>
  house.rows("SELECT version FROM quotas WHERE tenantId = ?", [tenantId]);
const auditOf = async (id: string) =>
  (await house.rows("SELECT command FROM audit_entries WHERE recordId = ? ORDER BY version", [id])).map(
    ({ command }) => command,
  );

describe("PUT /quotas/{tenantId}/{resourceType}", () => {
  test("makes a quota, and puts another in its place", async () => {
    const tenantId = newTenant();
    const made = await put(tenantId, { maxInstances: 5, maxVcpu: -1 });
    const quota = {
      ...{ id: expect.any(String), tenantId, resourceType: "VM", version: 1 },
      limits: { maxInstances: 5, maxVcpu: -1, warnPercent: 80 },
      createdAt: made.data.updatedAt,
      updatedAt: expect.any(String),
    };
    expect([made.status, made.data, made.headers.get("etag")]).toEqual([200, quota, '"1"']);
    const { id, createdAt } = made.data;
    expect((await admin.call("GET", `${path}/${id}`)).data).toEqual(made.data);

    // What is not named is not limited any more.
    const limits = { maxStorageGb: 0, warnPercent: 100 };
    const replaced = await put(tenantId, limits);
    expect([replaced.status, replaced.headers.get("etag")]).toEqual([200, '"2"']);
    expect(replaced.data).toEqual({ ...quota, id, createdAt, limits, version: 2 });
    expect((await admin.call("GET", `${path}/${id}`)).data).toEqual(replaced.data);
    expect(await auditOf(id)).toEqual(["create", "replace"]);
  });

  test("that changes nothing leaves version, time and audit", async () => {
    const tenantId = newTenant();
    const { data } = await put(tenantId, { maxVcpu: 1, maxInstances: 2 });
    for (const same of [
      { maxInstances: 2, maxVcpu: 1 },
      { warnPercent: 80, maxVcpu: 1, maxInstances: 2 },
    ])
      expect((await put(tenantId, same)).data).toEqual(data);
    expect(await auditOf(data.id)).toEqual(["create"]);
  });

  test("takes every limit at its bounds, and none at all", async () => {
    const tenantId = newTenant();
    const names = ["Instances", "Vcpu", "MemoryMb", "StorageGb", "PublicIps", "Networks", "DnsZones"];
    for (const bound of [-1, 0, Number.MAX_SAFE_INTEGER]) {
      const limits = Object.fromEntries(names.map((name) => [`max${name}`, bound]));
      expect((await put(tenantId, { ...limits, warnPercent: 1 })).data.limits).toEqual({
        ...limits,
        warnPercent: 1,
      });
    }
    expect((await put(tenantId, {})).data.limits).toEqual({ warnPercent: 80 });
    expectInvalid(await put(tenantId, { maxVcpu: Number.MAX_SAFE_INTEGER + 1 }), "/limits/maxVcpu");
  });

  test("keeps a quota for each type by itself, and each tenant to the last character of its id", async () => {
    const tenant = newTenant();
    const tenants = [tenant, `${tenant} `, tenant.toUpperCase(), "日本 ☃/?#%"];
    for (const [i, each] of tenants.entries())
      for (const type of resourceTypes) {
        const { status, data } = await put(encodeURIComponent(each), { maxInstances: i }, {}, type);
        expect([status, data.tenantId, data.resourceType, data.version]).toEqual([200, each, type, 1]);
      }
    for (const [i, each] of tenants.entries()) {
      const listed = await admin.call("GET", `${path}?limit=100&tenantId=${encodeURIComponent(each)}`);
      expect(listed.data.map(({ limits }: any) => limits.maxInstances)).toEqual(resourceTypes.map(() => i));
      expect((await usageOf(admin, encodeURIComponent(each))).limits.maxInstances).toBe(i);
    }
  });

  test.each([
    ["Something", "path/resourceType"],
    ["vm", "path/resourceType"],
    ["constructor", "path/resourceType"],
    ["%00", "path/resourceType"],
  ])("refuses the type %s", async (type, pointer) => {
    expectInvalid(await put(newTenant(), {}, {}, type), pointer);
  });

  test("refuses a tenant of more than 64 characters", async () => {
    expect((await put("x".repeat(64), {})).status).toBe(200);
    expectInvalid(await put("x".repeat(65), {}), "path/tenantId");
    expectInvalid(await put("x".repeat(65), {}, {}, "vm"), "path/tenantId", "path/resourceType");
  });

  test("honours If-Match", async () => {
    const tenantId = newTenant();
    for (const tag of ['"1"', "*", 'W/"1"'])
      expectProblem(await put(tenantId, { maxVcpu: 1 }, { "If-Match": tag }), "precondition_failed");
    expect(await versionsOf(tenantId)).toEqual([]);
    await put(tenantId, { maxVcpu: 1 });
    expect((await put(tenantId, { maxVcpu: 2 }, { "If-Match": '"1"' })).data.version).toBe(2);
    for (const tag of ['"1"', 'W/"2"', '"02"', "2"])
      expectProblem(await put(tenantId, { maxVcpu: 3 }, { "If-Match": tag }), "precondition_failed");
    // Also where it would change nothing.
    expectProblem(await put(tenantId, { maxVcpu: 2 }, { "If-Match": '"1"' }), "precondition_failed");
    expect((await put(tenantId, { maxVcpu: 3 }, { "If-Match": '"1", "2"' })).data.version).toBe(3);
    expect((await put(tenantId, { maxVcpu: 4 }, { "If-Match": "*" })).data.version).toBe(4);
  });

  for (const doors of ["one program", "two programs"])
    test(`many at once make one quota, through ${doors}`, async () => {
      const others = doors === "two programs" ? [admin.call, at(second, admin)] : [admin.call];
      for (let round = 0; round < 3; round++) {
        const tenantId = newTenant();
        const answers = await Promise.all(
          Array.from({ length: 10 }, (_, i) =>
            others[i % others.length]?.("PUT", `${path}/${tenantId}/VM`, { limits: { maxVcpu: i } }),
          ),
        );
        expect(answers.map((answer) => answer?.status)).toEqual(Array(10).fill(200));
        // Each took effect, one after the other.
        const versions = answers.map((answer) => answer?.data.version as number).sort((a, b) => a - b);
        expect(versions).toEqual(Array.from({ length: 10 }, (_, i) => i + 1));
        expect(await versionsOf(tenantId)).toEqual([{ version: 10 }]);
      }
    });

  test("of one version, only one at once is taken", async () => {
    const tenantId = newTenant();
    await put(tenantId, { maxVcpu: 100 });
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async (_, i) => {
        const call = i % 2 ? admin.call : at(second, admin);
        const body = { limits: { maxVcpu: i } };
        return (await call("PUT", `${path}/${tenantId}/VM`, body, { "If-Match": '"1"' })).status;
      }),
    );
    expect(statuses.sort()).toEqual([200, ...Array(7).fill(412)]);
  });

  test("at once with deletes always ends in 200", async () => {
    const tenantId = newTenant();
    let { id } = await setQuota(admin, tenantId, { maxVcpu: 1 });
    for (let round = 0; round < 6; round++) {
      const [set, removed] = await Promise.all([
        put(tenantId, { maxVcpu: round + 2 }),
        at(round % 2 ? house : second, admin)("DELETE", `${path}/${id}`),
      ]);
      expect([set.status, removed.status]).toEqual([200, 200]);
      const left = await house.rows("SELECT id FROM quotas WHERE tenantId = ?", [tenantId]);
      id = left.length > 0 ? left[0].id : (await setQuota(admin, tenantId, { maxVcpu: 1 })).id;
    }
  });
});

describe("GET /quotas", () => {
  test("shows customers their own; ADMIN, OPS and SALES those of all; the others those of a tenant that they name", async () => {
    const [other, service] = [await house.signUp(), await house.service(admin)];
    const [own, foreign] = [
      await setQuota(admin, customer.tenantId, { maxVcpu: 1 }),
      await setQuota(admin, other.tenantId, { maxVcpu: 1 }),
    ];
    const list = async (person: Person, query = "") => {
      const answer = await person.call("GET", `${path}${query}`);
      if (answer.status !== 200) return answer;
      expect(answer.body.meta.total).toBeGreaterThanOrEqual(answer.data.length);
      return answer.data.map(({ id }: any) => id);
    };
    expect(await list(customer)).toEqual([own.id]);
    expect(await list(customer, `?tenantId=${customer.tenantId}`)).toEqual([own.id]);
    expectProblem(await list(customer, `?tenantId=${other.tenantId}`), "tenant_mismatch");
    for (const role of ["ADMIN", "OPS", "SALES"])
      expect((await list(await house.staff(role), "?limit=2")).slice(0, 2)).toEqual([foreign.id, own.id]);
    for (const person of [await house.staff("FINANCE"), await house.staff("SECURITY", "PRODUCT"), service]) {
      expectProblem(await list(person), "forbidden");
      expect(await list(person, `?tenantId=${other.tenantId}`)).toEqual([foreign.id]);
    }
  });

  test("walks all of a tenant's by cursor, in either order", async () => {
    const tenantId = newTenant();
    for (const type of resourceTypes) await put(tenantId, { maxInstances: 1 }, {}, type);
    for (const sort of ["createdAt", "-createdAt"]) {
      const seen: string[] = [];
      for (let cursor = ""; ; ) {
        const { data, body } = await admin.call(
          "GET",
          `${path}?tenantId=${tenantId}&limit=5&sort=${sort}${cursor}`,
        );
        seen.push(...data.map(({ resourceType }: any) => resourceType));
        if (!body.meta.has_more) break;
        cursor = `&cursor=${encodeURIComponent(body.meta.next_cursor)}`;
      }
      expect(seen).toEqual(sort === "createdAt" ? [...resourceTypes] : resourceTypes.toReversed());
    }
    expectInvalid(await admin.call("GET", `${path}?sort=limits`), "query/sort");
  });
});

describe("GET /quotas/{id}", () => {
  test("shows customers their own, and hides another tenant's", async () => {
    const own = await setQuota(admin, customer.tenantId, { maxVcpu: 9 }, "DATABASE");
    const foreign = await setQuota(admin, newTenant(), { maxVcpu: 9 });
    expect((await customer.call("GET", `${path}/${own.id}`)).data).toEqual(own);
    for (const id of [foreign.id, "usage", Bun.randomUUIDv7(), "x".repeat(100), "%20"])
      expectProblem(await customer.call("GET", `${path}/${id}`), "not_found");
  });
});

describe("DELETE /quotas/{id}", () => {
  test("takes the quota away; its tenant may make a new one", async () => {
    const tenantId = newTenant();
    const { id } = await setQuota(admin, tenantId, { maxVcpu: 1 });
    const remove = (headers = {}) => admin.call("DELETE", `${path}/${id}`, undefined, headers);
    expectProblem(await remove({ "If-Match": '"2"' }), "precondition_failed");
    const removed = await remove({ "If-Match": '"1"' });
    expect([removed.status, removed.data]).toEqual([200, { id, deleted: true }]);
    expectProblem(await remove(), "not_found");
    expectProblem(await admin.call("GET", `${path}/${id}`), "not_found");
    expect((await usageOf(admin, tenantId)).limits).toEqual({});
    expect(await auditOf(id)).toEqual(["create", "delete"]);
    const again = await setQuota(admin, tenantId, { maxVcpu: 1 });
    expect([again.version, again.id === id]).toEqual([1, false]);
  });
});

describe("an API key", () => {
  test("with quotas:read reads quotas, and no key of a customer sets them", async () => {
    const quota = await setQuota(admin, customer.tenantId, { maxVcpu: 3 }, "VOLUME");
    const withKey = async (scopes?: string[]) => {
      const body = { name: "k", kind: "tenant", ...(scopes ? { scopes } : {}) };
      const { data } = await customer.call("POST", "/api/identity/api-keys", body);
      const key = { "X-API-Key": data.key };
      const places = ["", `/${quota.id}`, `/usage/${customer.tenantId}`];
      const read = await Promise.all(
        places.map(async (place) => (await house.call("GET", `${path}${place}`, undefined, key)).status),
      );
      const set = await house.call("PUT", `${path}/${customer.tenantId}/VM`, { limits: {} }, key);
      return [...read, set.status];
    };
    expect(await withKey(["quotas:read"])).toEqual([200, 200, 200, 403]);
    expect(await withKey()).toEqual([200, 200, 200, 403]);
    expect(await withKey(["quotas:write", "provisioning:read"])).toEqual([403, 403, 403, 403]);
  });
});
