import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { activeRules, firstMatch } from "../../actors/provisioning/conditions.ts";
import { type House, openHouse } from "../house.ts";
import { expectProblem } from "../http/answers.ts";
import { condition, newTenant, path, type Rules, rulesOf } from "./approval-rules.ts";

let house: House;
let rules: Rules;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  rules = rulesOf(await house.staff("OPS"));
});
afterAll(() => house.close());

describe("GET /api/approvals/rules", () => {
  test("is for staff and services, whatever tenant a rule is for", async () => {
    const customer = await house.signUp();
    const { id } = await rules.make({ tenantId: customer.tenantId });
    expectProblem(await customer.call("GET", path), "forbidden");
    for (const person of [await house.staff("SALES"), await house.service(await house.admin())]) {
      const { data } = await person.call("GET", `${path}?limit=100`);
      expect(data.map((rule: any) => rule.id)).toContain(id);
    }
  });

  test("sorts by the time or by the priority, and walks by cursor through equals", async () => {
    await using own = await openHouse({ samples: false });
    const person = await own.admin();
    const made: any[] = [];
    for (const priority of [5, 0, 1000, 5, 7, 5, 0]) {
      const body = { name: "x", condition: { any: [] }, priority };
      made.push((await person.call("POST", path, body)).data);
    }
    const orders: [sort: string, by: (rule: any) => number, sign: number][] = [
      ["createdAt", () => 0, 1],
      ["-createdAt", () => 0, -1],
      ["priority", ({ priority }) => priority, 1],
      ["-priority", ({ priority }) => priority, -1],
    ];
    for (const [sort, by, sign] of orders) {
      const walked: any[] = [];
      for (let cursor = ""; walked.length < made.length; ) {
        const { data, body } = await person.call("GET", `${path}?limit=2&sort=${sort}${cursor}`);
        walked.push(...data);
        expect(body.meta).toMatchObject({ total: made.length, has_more: walked.length < made.length });
        cursor = `&cursor=${body.meta.next_cursor}`;
      }
      const expected = made.toSorted((a, b) => sign * (by(a) - by(b) || (a.id < b.id ? -1 : 1)));
      expect(walked).toEqual(expected);
    }
    const usual = await person.call("GET", path);
    expect(usual.data.map(({ id }: any) => id)).toEqual(made.map(({ id }) => id).reverse());
  });
});

describe("the active rules of a tenant", () => {
  const read = async (...tenants: string[]) => {
    const rulesFor = await activeRules.read(house.world.db, tenants);
    return tenants.map(rulesFor);
  };

  test("are its own and the platform's, in order of precedence, and none that is switched off", async () => {
    const [one, other, none] = [newTenant(), newTenant(), newTenant()];
    const never = { condition: { any: [] } };
    const made: any[] = [];
    for (const more of [
      { tenantId: null, priority: 990 },
      { tenantId: one, priority: 990 },
      { tenantId: one, priority: 1000 },
      { tenantId: one, priority: 990 },
      { tenantId: other },
      { tenantId: one, priority: 1000 },
    ])
      made.push(await rules.make({ ...never, ...more }));
    const [platform, older, high, younger, others, off] = made;
    await rules.patch(off.id, { status: "INACTIVE" });
    const known = new Set(made.map(({ id }) => id));
    const active = await read(one, other, one, none);
    const ids = active.map((some) => some.map(({ id }) => id).filter((id) => known.has(id)));
    const ones = [high.id, older.id, younger.id, platform.id];
    expect(ids).toEqual([ones, [platform.id, others.id], ones, [platform.id]]);
    expect(active[0]?.every(({ status }) => status === "ACTIVE")).toBe(true);
  });

  test("decide with the condition that was saved", async () => {
    const tenantId = newTenant();
    const { id } = await rules.make({ tenantId, condition, priority: 1000 });
    const [own] = await read(tenantId);
    const facts = { ...{ tenantId, resourceType: "DNS_ZONE", clusterId: null, orderId: "o" } };
    const more = { specification: {}, metadata: {}, estimatedMonthlyCost: null, quotaUsagePercent: null };
    const match = firstMatch(own ?? [], { ...facts, ...more });
    expect([match?.id, match?.condition]).toEqual([id, condition]);
  });
});
