import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ResourceType, resourceTypes } from "../../schema/provisioning/specification.ts";
import { type House, openHouse, type Person } from "../house.ts";
import { expectInvalid, expectProblem } from "../http/answers.ts";
import { expectBooks, newTenant, none, path, setQuota, usageOf } from "./quotas.ts";
import { shapes } from "./specifications.ts";
import { requests } from "./stages.ts";

let house: House;
let admin: Person;
let customer: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
});
afterAll(() => house.close());

const unlimited = Object.fromEntries(Object.keys(none).map((name) => [name, null]));
const usage = (person: Person, tenantId: string, query: Record<string, string> = {}) =>
  person.call("GET", `${path}/usage/${tenantId}?${new URLSearchParams(query)}`);
const preview = async (tenantId: string, resourceType: string, specification: unknown) =>
  (await usage(admin, tenantId, { resourceType, specification: JSON.stringify(specification) })).data.preview;
const create = (tenantId: string, resourceType: string, specification: unknown) =>
  admin.call("POST", requests, { tenantId, orderId: "o", orderItemId: "i", resourceType, specification });

/** What a request of each type, as the tests of specifications ask for it, counts beside one instance. */
const counted: Record<ResourceType, Partial<typeof none>> = {
  VM: { vcpu: 2, memoryMb: 4096, storageGb: 40 },
  BARE_METAL: {},
  KUBERNETES: { vcpu: 6, memoryMb: 12_288, storageGb: 120 },
  VOLUME: { storageGb: 100 },
  OBJECT_STORAGE: { storageGb: 500 },
  DATABASE: { vcpu: 2, memoryMb: 4096, storageGb: 100 },
  LOAD_BALANCER: {},
  FLOATING_IP: { publicIps: 1 },
  NETWORK: { networks: 1 },
  DNS_ZONE: { dnsZones: 1 },
  BACKUP: {},
  MANUAL: {},
};

describe("GET /quotas/usage/{tenantId}", () => {
  test("tells of every type, also of a tenant of which nothing is known", async () => {
    const tenantId = newTenant();
    const { status, data } = await usage(admin, tenantId);
    const nothing = { limits: {}, used: none, available: unlimited, percent: unlimited };
    expect([status, data]).toEqual([
      200,
      { tenantId, resources: resourceTypes.map((resourceType) => ({ resourceType, ...nothing })) },
    ]);
  });

  test("counts a request of each type as the contract says, for its own type alone", async () => {
    const tenantId = newTenant();
    for (const type of resourceTypes) {
      const whole = shapes[type]?.whole;
      for (let times = 0; times < 2; times++) {
        const { region, ...elsewhere } = whole as { region?: string };
        expect((await create(tenantId, type, times ? elsewhere : whole)).status).toBe(201);
      }
    }
    const { data } = await usage(admin, tenantId);
    const twice = (type: ResourceType) =>
      Object.fromEntries(
        Object.entries({ ...none, instances: 1, ...counted[type] }).map(([name, n]) => [name, 2 * n]),
      );
    expect(data.resources.map(({ resourceType, used }: any) => [resourceType, used])).toEqual(
      resourceTypes.map((type) => [type, twice(type)]),
    );
    await expectBooks(house);
  });

  test("shows what is left and how full each limit is; what is not limited is null", async () => {
    const tenantId = newTenant();
    const limits = { maxInstances: 3, maxVcpu: 4, maxMemoryMb: -1, maxNetworks: 0, warnPercent: 90 };
    await setQuota(admin, tenantId, limits);
    await create(tenantId, "VM", { vcpu: 1, memoryMb: 512, diskGb: 7, image: "debian-12" });
    expect(await usageOf(admin, tenantId)).toEqual({
      resourceType: "VM",
      limits,
      used: { ...none, instances: 1, vcpu: 1, memoryMb: 512, storageGb: 7 },
      available: { ...unlimited, instances: 2, vcpu: 3, networks: 0 },
      percent: { ...unlimited, instances: 33.33, vcpu: 25, networks: 0 },
    });
    // Of a limit below what is used nothing is left, and not less.
    await setQuota(admin, tenantId, { maxVcpu: 0, maxStorageGb: 2 });
    expect(await usageOf(admin, tenantId)).toMatchObject({
      available: { ...unlimited, vcpu: 0, storageGb: 0 },
      percent: { ...unlimited, vcpu: 100, storageGb: 350 },
    });
  });

  test("is for the tenant's users, and for all staff and services", async () => {
    const service = await house.service(admin);
    for (const person of [customer, await house.staff("PRODUCT"), service])
      expect((await usage(person, customer.tenantId)).status).toBe(200);
    for (const foreign of [newTenant(), "x".repeat(65), `${customer.tenantId}%20`])
      expectProblem(await usage(customer, foreign), "tenant_mismatch");
    expectInvalid(await usage(admin, "x".repeat(65)), "path/tenantId");
  });
});

describe("the preview of a request", () => {
  const disk = { sizeGb: 6 };

  test("says whether it would be taken, and is right", async () => {
    for (const [limit, fits] of [
      [5, false],
      [6, true],
      [0, false],
      [-1, true],
    ] as const) {
      const tenantId = newTenant();
      await setQuota(admin, tenantId, { maxStorageGb: limit }, "VOLUME");
      expect((await preview(tenantId, "VOLUME", disk)).fits).toBe(fits);
      expect((await create(tenantId, "VOLUME", disk)).status).toBe(fits ? 201 : 422);
      // The quota of one type says nothing of another.
      expect((await preview(tenantId, "OBJECT_STORAGE", { quotaGb: 7 })).fits).toBe(true);
    }
    expect(await preview(newTenant(), "VOLUME", disk)).toEqual({ fits: true, exceeded: [] });
  });

  test("names every limit that it would pass, and takes nothing", async () => {
    const tenantId = newTenant();
    const shape = { vcpu: 3, memoryMb: 1024, diskGb: 10, image: "debian-12" };
    await setQuota(admin, tenantId, { maxInstances: 1, maxVcpu: 5, maxMemoryMb: 2048 });
    await create(tenantId, "VM", shape);
    const exceeded = [
      { dimension: "maxInstances", limit: 1, used: 1, requested: 1 },
      { dimension: "maxVcpu", limit: 5, used: 3, requested: 3 },
    ];
    for (let times = 0; times < 2; times++)
      expect(await preview(tenantId, "VM", shape)).toEqual({ fits: false, exceeded });
    // The refusal names the first of them.
    expectProblem(await create(tenantId, "VM", shape), "quota_exceeded", exceeded[0]);
  });

  test("takes what the specification may be, at its own limit of depth", async () => {
    const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
    const ask = (specification: string) =>
      usage(customer, customer.tenantId, { resourceType: "MANUAL", specification });
    expect((await ask(deep(60))).status).toBe(200);
    expectInvalid(await ask(deep(65)), "query/specification");
  });

  test.each([
    ["bad JSON", { resourceType: "VM", specification: "{" }, ["query/specification"]],
    ["nothing", { resourceType: "VM", specification: "" }, ["query/specification"]],
    ["no object", { resourceType: "VM", specification: "[]" }, ["query/specification"]],
    ["null", { resourceType: "VM", specification: "null" }, ["query/specification"]],
    ["null for a free map", { resourceType: "MANUAL", specification: "null" }, ["query/specification"]],
    ["a text", { resourceType: "MANUAL", specification: '"x"' }, ["query/specification"]],
    [
      "wrong fields",
      { resourceType: "VOLUME", specification: '{"sizeGb":"much","colour":"blue"}' },
      ["query/specification/sizeGb", "query/specification/colour"],
    ],
    [
      "a wrong field deep inside",
      {
        resourceType: "LOAD_BALANCER",
        specification: '{"algorithm":"round_robin","listeners":[{"protocol":"tcp","port":0}]}',
      },
      ["query/specification/listeners/0/port"],
    ],
    ["a missing field", { resourceType: "VOLUME", specification: "{}" }, ["query/specification/sizeGb"]],
    ["no type", { specification: '{"sizeGb":1}' }, ["query/resourceType"]],
    ["no specification", { resourceType: "VM" }, ["query/specification"]],
    ["an unknown type", { resourceType: "TEA", specification: "{}" }, ["query/resourceType"]],
    ["an unknown parameter", { type: "VM" }, ["query/type"]],
  ] as [string, Record<string, string>, string[]][])("refuses %s", async (_, query, pointers) => {
    expectInvalid(await usage(customer, customer.tenantId, query), ...pointers);
  });
});
