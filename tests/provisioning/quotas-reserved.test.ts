import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Answer, type House, openHouse, type Person } from "../house.ts";
import { expectProblem } from "../http/answers.ts";
import { register } from "./clusters.ts";
import { at, createMany, expectBooks, machine, newTenant, none, path, setQuota, usageOf } from "./quotas.ts";
import { requests } from "./stages.ts";

/* Two programs on one database, as in production. */
let house: House;
let second: House;
let admin: Person;
let customer: Person;
beforeAll(async () => {
  house = await openHouse();
  second = await openHouse({ config: house.program.landfall.config, samples: false });
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
});
afterAll(async () => {
  await second.program.stop();
  await house.close();
});

const create = (body: object, headers?: Record<string, string>) =>
  admin.call("POST", requests, body, headers);
const outcomes = (answers: Answer[]) => ({
  made: answers.filter(({ status }) => status === 201),
  refused: answers.filter(({ status }) => status !== 201),
});

/** What may be left behind by a command, counted. */
async function traces() {
  const tables = ["provisioning_requests", "approvals", "audit_entries", "outbox_events"];
  const counts = await Promise.all(
    [...tables, "jobs", "idempotent_answers"].map((table) =>
      house.rows(`SELECT COUNT(*) AS total FROM ${table}`),
    ),
  );
  const sums = await house.rows("SELECT used FROM quota_counters UNION ALL SELECT used FROM clusters");
  return [counts, sums];
}

const doors = {
  "one program": () => [admin.call],
  "two programs": () => [admin.call, at(second, admin)],
};

describe("POST /provisioning/requests against a quota", () => {
  for (const [name, open] of Object.entries(doors))
    for (const counter of ["whose counter there is", "that has never had a request"])
      test(`makes exactly 50 of 200 at once, through ${name}, for a tenant ${counter}`, async () => {
        const tenantId = newTenant();
        if (counter === "whose counter there is") {
          const { data } = await create(machine(tenantId));
          await admin.call("DELETE", `${requests}/${data.id}`);
        }
        await setQuota(admin, tenantId, { maxInstances: 50 });
        const { made, refused } = outcomes(await createMany(200, machine(tenantId), open()));
        expect([made.length, refused.length]).toEqual([50, 150]);
        for (const answer of refused)
          expectProblem(answer, "quota_exceeded", {
            ...{ dimension: "maxInstances", limit: 50, used: 50, requested: 1 },
          });
        expect((await usageOf(admin, tenantId)).used).toMatchObject({ instances: 50, vcpu: 100 });
        const list = `${requests}?tenantId=${tenantId}&status=PENDING`;
        expect((await admin.call("GET", list)).body.meta.total).toBe(50);
        await expectBooks(house);
      });

  test("fills a quota to the brim with requests of all sizes, from both programs, and never beyond", async () => {
    const tenantId = newTenant();
    await setQuota(admin, tenantId, { maxVcpu: 40, maxStorageGb: 900 });
    const open = doors["two programs"]();
    const answers = await Promise.all(
      Array.from({ length: 120 }, async (_, i) => {
        const body = machine(tenantId, { vcpu: 1 + (i % 5), diskGb: 1 + (i % 90) });
        const answer = await open[i % 2]?.("POST", requests, body);
        return { answer: answer as Answer, vcpu: body.specification.vcpu };
      }),
    );
    const { used } = await usageOf(admin, tenantId);
    for (const { answer, vcpu } of answers) {
      if (answer.status === 201) continue;
      const { limit, used: then, requested, dimension } = answer.body;
      expect([answer.body.code, dimension, limit, requested]).toEqual([
        "quota_exceeded",
        "maxVcpu",
        40,
        vcpu,
      ]);
      expect(then + requested).toBeGreaterThan(limit);
      expect(then).toBeLessThanOrEqual(used.vcpu);
    }
    // A machine of one core was refused among them, so the last core is taken.
    expect(used.vcpu).toBe(40);
    await expectBooks(house);
  });

  test.each([
    ["maxInstances", "VOLUME", { sizeGb: 7 }, 1],
    ["maxVcpu", "DATABASE", { engine: "redis", version: "7", vcpu: 3, memoryMb: 256, storageGb: 1 }, 3],
    ["maxMemoryMb", "DATABASE", { engine: "redis", version: "7", vcpu: 3, memoryMb: 256, storageGb: 1 }, 256],
    ["maxStorageGb", "OBJECT_STORAGE", { quotaGb: 9 }, 9],
    ["maxPublicIps", "FLOATING_IP", { family: 4 }, 1],
    ["maxNetworks", "NETWORK", { cidr: "10.0.0.0/24" }, 1],
    ["maxDnsZones", "DNS_ZONE", { name: "example.com" }, 1],
    ["maxInstances", "MANUAL", { task: "rack it" }, 1],
  ])(
    "refuses by %s a %s, and takes it once the limit allows",
    async (dimension, type, specification, amount) => {
      const tenantId = newTenant();
      const body = { ...machine(tenantId), resourceType: type, specification };
      await setQuota(admin, tenantId, { [dimension]: amount - 1 }, type);
      expectProblem(await create(body), "quota_exceeded", {
        ...{ dimension, limit: amount - 1, used: 0, requested: amount },
      });
      await setQuota(admin, tenantId, { [dimension]: amount }, type);
      expect((await create(body)).status).toBe(201);
      expectProblem(await create(body), "quota_exceeded", {
        ...{ dimension, limit: amount, used: amount, requested: amount },
      });
    },
  );

  test("that is refused leaves nothing, and its Idempotency-Key may succeed later", async () => {
    const tenantId = newTenant();
    await setQuota(admin, tenantId, { maxInstances: 0 });
    await expectStill(traces);
    const before = await traces();
    const key = { "Idempotency-Key": crypto.randomUUID() };
    for (const headers of [{}, key, key])
      expectProblem(await create(machine(tenantId), headers), "quota_exceeded", {
        ...{ dimension: "maxInstances", limit: 0, used: 0, requested: 1 },
      });
    expect(await traces()).toEqual(before);

    await setQuota(admin, tenantId, { maxInstances: 1 });
    const made = await create(machine(tenantId), key);
    const again = await create(machine(tenantId), key);
    expect([made.status, again.status, again.data]).toEqual([201, 201, made.data]);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect((await usageOf(admin, tenantId)).used.instances).toBe(1);
  });

  test("with one Idempotency-Key many times at once takes once, through both programs", async () => {
    const tenantId = newTenant();
    await setQuota(admin, tenantId, { maxInstances: 1 });
    const key = { "Idempotency-Key": crypto.randomUUID() };
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        (i % 2 ? admin.call : at(second, admin))("POST", requests, machine(tenantId), key),
      ),
    );
    for (const { status, body } of answers)
      expect([201, "idempotency_in_progress"]).toContain(status === 201 ? status : body.code);
    expect((await usageOf(admin, tenantId)).used.instances).toBe(1);
  });

  test("counts for its tenant alone", async () => {
    await setQuota(admin, customer.tenantId, { maxInstances: 0 });
    expect((await customer.call("POST", requests, machine(customer.tenantId))).status).toBe(422);
    const other = await house.signUp();
    expect((await other.call("POST", requests, machine(other.tenantId))).status).toBe(201);
  });
});

describe("a cluster's capacity", () => {
  test("is filled to the brim by creates at once, through both programs, and never passed", async () => {
    const region = crypto.randomUUID();
    const cluster = await register(admin, { region, capacity: { vcpu: 21, instances: 30 } });
    const body = machine(newTenant(), { region });
    const { made } = outcomes(await createMany(30, body, doors["two programs"]()));
    const placed = made.map(({ data }) => data.clusterId).filter((id) => id !== null);
    expect([made.length, placed]).toEqual([30, Array(10).fill(cluster.id)]);
    const { data } = await admin.call("GET", `/api/clusters/${cluster.id}`);
    expect(data).toMatchObject({ used: { vcpu: 20, instances: 10 }, version: 1 });
    await expectBooks(house);
  });
});

describe("a limit", () => {
  const used = async (tenantId: string) => (await usageOf(admin, tenantId)).used;

  test("of -1, or of a quota that is deleted, lets everything through", async () => {
    const tenantId = newTenant();
    await setQuota(admin, tenantId, { maxInstances: -1, maxVcpu: 0 });
    expect((await create(machine(tenantId))).body.dimension).toBe("maxVcpu");
    const { id } = await setQuota(admin, tenantId, { maxInstances: -1, maxVcpu: -1 });
    expect((await create(machine(tenantId, { vcpu: 256 }))).status).toBe(201);
    await setQuota(admin, tenantId, { maxInstances: 1 });
    expect((await create(machine(tenantId))).status).toBe(422);
    await admin.call("DELETE", `${path}/${id}`);
    expect((await create(machine(tenantId))).status).toBe(201);
    expect(await used(tenantId)).toEqual({
      ...none,
      ...{ instances: 2, vcpu: 258, memoryMb: 2048, storageGb: 20 },
    });
  });

  test("set below what is used takes nothing away, lets nothing more in, and what ends is given back", async () => {
    const tenantId = newTenant();
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) ids.push((await create(machine(tenantId))).data.id);
    await setQuota(admin, tenantId, { maxInstances: 2 });
    for (const left of [3, 2, 1]) {
      expectProblem(await create(machine(tenantId)), "quota_exceeded", {
        ...{ dimension: "maxInstances", limit: 2, used: left + 1, requested: 1 },
      });
      await admin.call("DELETE", `${requests}/${ids.pop()}`);
      expect(await used(tenantId)).toMatchObject({ instances: left, vcpu: 2 * left });
    }
    expect((await create(machine(tenantId))).status).toBe(201);
    expect((await create(machine(tenantId))).status).toBe(422);
  });

  test("holds for every request that is made after it was answered", async () => {
    const tenantId = newTenant();
    const both = doors["two programs"]();
    const underWay = createMany(100, machine(tenantId), both);
    await setQuota(admin, tenantId, { maxInstances: 0 });
    const { made } = outcomes(await createMany(20, machine(tenantId), both));
    expect(made).toEqual([]);
    expect((await used(tenantId)).instances).toBe(outcomes(await underWay).made.length);
    await expectBooks(house);
  });
});

/** Waits until a look and the next show the same: what was ordered for later is done. */
async function expectStill(look: () => Promise<unknown>): Promise<void> {
  for (let tries = 0, last = ""; tries < 200; tries++) {
    const now = JSON.stringify(await look());
    if (now === last) return;
    last = now;
    await Bun.sleep(20);
  }
  throw new Error("It does not come to rest.");
}
