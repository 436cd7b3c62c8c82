import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person, vm } from "../house.ts";
import { expectInvalid, expectProblem } from "../http/answers.ts";
import { backup, bring, stages } from "./stages.ts";

let house: House;
let admin: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  admin = await house.admin();
});
afterAll(() => house.close());

const list = (person: Person, query: string) => person.call("GET", `/api/provisioning/instances?${query}`);
const idsOf = (answer: { data: any }): string[] => answer.data.map(({ id }: any) => id);

describe("GET /provisioning/instances", () => {
  test("lists the services of a status as provisioning requests, the latest first", async () => {
    const customer = await house.signUp();
    const cast = { house, customer, admin };
    const made: Record<string, any[]> = { ACTIVE: [], SUSPENDED: [], DEPROVISIONING: [] };
    for (const [status, stage] of Object.entries(stages)) {
      for (const request of [await stage(cast), await stage(cast)]) made[status]?.unshift(request);
    }
    for (const [status, expected] of Object.entries(made)) {
      const answer = await list(customer, `status=${status}`);
      expect([status, answer.data]).toEqual([status, expected]);
      expect(answer.body.meta).toMatchObject({ total: 2, page: 1, per_page: 20, has_more: false });
    }
  });

  test("pages and sorts like every list", async () => {
    const customer = await house.signUp();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push((await stages.ACTIVE({ house, customer, admin })).id);
    const first = await list(customer, "status=ACTIVE&limit=2&sort=createdAt");
    expect(idsOf(first)).toEqual(ids.slice(0, 2));
    const { next_cursor } = first.body.meta;
    const second = await list(customer, `status=ACTIVE&limit=2&sort=createdAt&cursor=${next_cursor}`);
    expect(idsOf(second)).toEqual(ids.slice(2, 4));
    expect(idsOf(await list(customer, "status=ACTIVE&limit=2&offset=4&sort=createdAt"))).toEqual(
      ids.slice(4),
    );
  });

  test("shows a tenant its own services, staff and services those of all, or of the one they name", async () => {
    const [customer, other] = await Promise.all([house.signUp(), house.signUp()]);
    const [mine, theirs] = [
      await stages.ACTIVE({ house, customer, admin }),
      await stages.ACTIVE({ house, customer: other, admin }),
    ];
    expect(idsOf(await list(customer, "status=ACTIVE"))).toEqual([mine.id]);
    expect(idsOf(await list(other, `status=ACTIVE&tenantId=${other.tenantId}`))).toEqual([theirs.id]);
    expectProblem(await list(customer, `status=ACTIVE&tenantId=${other.tenantId}`), "tenant_mismatch");
    for (const reader of [admin, await house.staff("SALES"), await house.service(admin)]) {
      expect(idsOf(await list(reader, "status=ACTIVE&limit=2"))).toEqual([theirs.id, mine.id]);
      expect(idsOf(await list(reader, `status=ACTIVE&tenantId=${customer.tenantId}`))).toEqual([mine.id]);
    }
  });

  test("filters by cluster and type as well", async () => {
    const customer = await house.signUp();
    const cast = { house, customer, admin };
    const region = crypto.randomUUID();
    const clusterId = house.world.newId();
    await house.world.pool.query(
      `INSERT INTO clusters (id, version, createdAt, updatedAt, name, type, region, supportedResourceTypes, isDefault, provisioningEnabled, metadata)
       VALUES (?, 1, NOW(3), NOW(3), 'Far', 'PROXMOX', ?, '["VM"]', false, true, '{}')`,
      [clusterId, region],
    );
    const advances = Array<string>(4).fill("advance");
    const body = vm(customer.tenantId);
    const specification = { ...body.specification, region };
    const machine = await bring(cast, { ...body, specification }, "start", ...advances);
    const copy = await bring(cast, backup(customer.tenantId), "start", ...advances);
    const found: [query: string, requests: any[]][] = [
      ["resourceType=VM", [machine]],
      ["resourceType=BACKUP", [copy]],
      [`clusterId=${clusterId}`, [machine]],
      [`clusterId=${clusterId}&resourceType=BACKUP`, []],
      ["clusterId=nowhere", []],
    ];
    for (const [query, expected] of found) {
      const answer = await list(customer, `status=ACTIVE&${query}`);
      expect([query, idsOf(answer)]).toEqual([query, expected.map(({ id }) => id)]);
    }
  });

  for (const query of ["", "status=", "status=active", "status=PENDING", "status=DEPROVISIONED"])
    test(`refuses ?${query}`, async () => {
      expectInvalid(await list(admin, query), "query/status");
    });
});
