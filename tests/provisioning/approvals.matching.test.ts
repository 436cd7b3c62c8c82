import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { expectProblem } from "../http/answers.ts";
import { newTenant, type Rules, rulesOf } from "./approval-rules.ts";
import { approvalOf, path, trailOf } from "./approvals.ts";
import { register } from "./clusters.ts";
import { setQuota, usageOf } from "./quotas.ts";
import { backup, manual, requests, storyOf } from "./stages.ts";

let house: House;
let admin: Person;
let rules: Rules;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  admin = await house.admin();
  rules = rulesOf(admin);
});
afterAll(() => house.close());

const create = (body: object, headers: Record<string, string> = {}) =>
  admin.call("POST", requests, body, headers);
const statusOf = async (body: object): Promise<string> => (await create(body)).data.status;
const all = { all: [] };

describe("POST /api/provisioning/requests", () => {
  test("makes a request wait that a rule matches, and tells of both", async () => {
    const tenantId = newTenant();
    const terms = { minApprovals: 2, expiresInHours: 1.5 };
    const name = "👩".repeat(200);
    const rule = await rules.make({ name, tenantId, condition: { all: [], approval: terms } });
    const { status, data, headers } = await create(backup(tenantId));
    expect([status, data.status, data.version, headers.get("etag")]).toEqual([
      ...[201, "PENDING_APPROVAL", 1, '"1"'],
    ]);
    expect(headers.get("location")).toBe(`${requests}/${data.id}`);
    expect(await storyOf(house, data.id)).toEqual(["requested", "approval-requested"]);
    expect(await trailOf(admin, data.id)).toEqual([
      {
        actor: { id: admin.id, kind: "user" },
        ...{ command: "create", from: null, to: "PENDING_APPROVAL", detail: null },
      },
    ]);
    const approval = await approvalOf(admin, data.id);
    const at = data.createdAt;
    expect(approval).toEqual({
      ...{ id: expect.any(String), provisioningRequestId: data.id, tenantId },
      ...{ ruleId: rule.id, ruleName: name, status: "PENDING", minApprovals: 2, decisions: [] },
      expiresAt: new Date(Date.parse(at) + 5_400_000).toISOString(),
      ...{ requestedAt: at, decidedAt: null, version: 1, createdAt: at, updatedAt: at },
    });
  });

  test("lets it go on where no rule matches", async () => {
    const { data } = await create(backup(newTenant()));
    expect([data.status, await storyOf(house, data.id)]).toEqual(["PENDING", ["requested"]]);
    expectProblem(await admin.call("GET", `${path}/request/${data.id}`), "not_found");
  });

  test("asks one person, without an end, where the rule says no more", async () => {
    const tenantId = newTenant();
    await rules.make({ tenantId, condition: all });
    const { data } = await create(backup(tenantId));
    expect(await approvalOf(admin, data.id)).toMatchObject({ minApprovals: 1, expiresAt: null });
  });

  test("refuses to start it, and says what it accepts", async () => {
    const tenantId = newTenant();
    await rules.make({ tenantId, condition: all });
    const { data } = await create(backup(tenantId));
    const answer = await admin.call("POST", `${requests}/${data.id}/start`);
    const allowed = ["approve", "reject", "delete"];
    expectProblem(answer, "invalid_transition", { from: "PENDING_APPROVAL", command: "start", allowed });
  });

  test("asks once, however often it is sent with a key", async () => {
    const tenantId = newTenant();
    await rules.make({ tenantId, condition: all });
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const first = await create(backup(tenantId), headers);
    const again = await create(backup(tenantId), headers);
    expect([again.headers.get("idempotency-replayed"), again.data]).toEqual(["true", first.data]);
    const found = await house.rows("SELECT id FROM approvals WHERE tenantId = ?", [tenantId]);
    expect(found).toHaveLength(1);
  });

  test("counts what waits against the quota, and asks nobody for what does not fit", async () => {
    const tenantId = newTenant();
    await rules.make({ tenantId, condition: all });
    await setQuota(admin, tenantId, { maxInstances: 1 }, "BACKUP");
    expect(await statusOf(backup(tenantId))).toBe("PENDING_APPROVAL");
    expect((await usageOf(admin, tenantId, "BACKUP")).used.instances).toBe(1);
    const { status, body } = await create(backup(tenantId));
    expect([status, body.code]).toEqual([422, "quota_exceeded"]);
    expect(await house.rows("SELECT id FROM approvals WHERE tenantId = ?", [tenantId])).toHaveLength(1);
  });

  test("does not let a client say that it starts by itself", async () => {
    const { status } = await create({ ...backup(newTenant()), startsWhenApproved: true });
    expect(status).toBe(422);
  });
});

describe("the condition of a rule", () => {
  const order = (more: object) => (tenantId: string) => ({ ...backup(tenantId), ...more });
  const withMetadata = (metadata: object) => order({ metadata });
  const leaf = (field: string, operator: string, value: unknown) => ({ field, operator, value });
  /** A leaf, an order that it holds back, and one that it lets pass. */
  const cases: [object, (tenantId: string) => object, (tenantId: string) => object][] = [
    [leaf("resourceType", "in", ["VM", "BACKUP"]), backup, manual],
    [leaf("resourceType", "eq", "MANUAL"), manual, backup],
    [leaf("orderId", "startsWith", "bulk-"), order({ orderId: "bulk-1" }), backup],
    [
      leaf("specification.retentionDays", "gte", 7),
      backup,
      order({ specification: { sourceId: "vm-1", schedule: "0 3 * * *", retentionDays: 6 } }),
    ],
    [leaf("specification.schedule", "exists", true), backup, manual],
    [leaf("metadata.colour", "neq", "blue"), backup, withMetadata({ colour: "blue" })],
    [
      leaf("metadata.tags", "contains", "risky"),
      withMetadata({ tags: ["new", "risky"] }),
      withMetadata({ tags: ["new"] }),
    ],
    [
      leaf("estimatedMonthlyCost", "gt", 100),
      withMetadata({ estimatedMonthlyCost: 100.01 }),
      withMetadata({ estimatedMonthlyCost: 100 }),
    ],
    [
      leaf("estimatedMonthlyCost", "exists", true),
      withMetadata({ estimatedMonthlyCost: 0 }),
      withMetadata({ estimatedMonthlyCost: "500", monthlyCost: 500 }),
    ],
    [
      leaf("clusterId", "exists", false),
      backup,
      order({ resourceType: "NETWORK", specification: { cidr: "10.0.0.0/8" } }),
    ],
    [leaf("quotaUsagePercent", "exists", false), backup, manual],
  ];
  test.each(cases)("looks at %j", async (condition, held, passed) => {
    const tenantId = newTenant();
    await register(admin, { supportedResourceTypes: ["NETWORK"] });
    await setQuota(admin, tenantId, { maxInstances: 5 }, "MANUAL");
    await rules.make({ tenantId, condition });
    expect([await statusOf(held(tenantId)), await statusOf(passed(tenantId))]).toEqual([
      "PENDING_APPROVAL",
      "PENDING",
    ]);
  });

  test("knows the cluster that a request is placed on", async () => {
    const tenantId = newTenant();
    const region = "cellar";
    const { id } = await register(admin, { region, supportedResourceTypes: ["NETWORK"] });
    await rules.make({ tenantId, condition: leaf("clusterId", "eq", id) });
    const network = (where: object) =>
      order({ resourceType: "NETWORK", specification: { cidr: "10.0.0.0/8", ...where } })(tenantId);
    expect([await statusOf(network({ region })), await statusOf(network({ region: "elsewhere" }))]).toEqual([
      "PENDING_APPROVAL",
      "PENDING",
    ]);
  });

  test("knows how full the quota is with the request in it", async () => {
    const tenantId = newTenant();
    await setQuota(admin, tenantId, { maxInstances: 4 }, "BACKUP");
    await rules.make({ tenantId, condition: leaf("quotaUsagePercent", "gte", 50) });
    const statuses: string[] = [];
    for (let i = 0; i < 3; i++) statuses.push(await statusOf(backup(tenantId)));
    expect(statuses).toEqual(["PENDING", "PENDING_APPROVAL", "PENDING_APPROVAL"]);
    expect(await statusOf(manual(tenantId))).toBe("PENDING");
  });
});

describe("of the rules that match", () => {
  interface Made {
    whose?: "own" | "platform" | "another";
    priority?: number;
    /** Matches nothing. */
    blind?: true;
    fate?: "INACTIVE" | "deleted" | "INACTIVE and back";
  }
  const platform: Made = { whose: "platform" };
  /** What each rule is, the oldest first; and which of them decides. */
  const cases: [string, Made[], number | null][] = [
    ["a tenant's own comes before one of the platform", [platform, {}], 1],
    ["the priority comes before whose it is", [{}, { ...platform, priority: 1 }], 1],
    ["the older one decides between two of a tenant", [{}, {}], 0],
    ["the older one decides between two of the platform", [platform, platform], 0],
    ["the highest priority decides", [{ priority: 1 }, { priority: 1000 }, { priority: 999 }], 1],
    ["one that is inactive decides nothing", [{ priority: 9, fate: "INACTIVE" }, platform], 1],
    ["one that was inactive for a time decides again", [{ fate: "INACTIVE and back" }, platform], 0],
    ["one that was deleted decides nothing", [{ priority: 9, fate: "deleted" }, platform], 1],
    ["another tenant's decides nothing", [{ whose: "another", priority: 1000 }, platform], 1],
    ["one that does not match stands in nobody's way", [{ priority: 1000, blind: true }, {}], 1],
    [
      "none decides where none is left",
      [{ fate: "INACTIVE" }, { fate: "deleted" }, { whose: "another" }],
      null,
    ],
  ];
  test.each(cases)("%s", async (_, made, decides) => {
    const tenantId = newTenant();
    const tenants = { own: tenantId, platform: null, another: newTenant() };
    const mine = { field: "tenantId", operator: "eq", value: tenantId };
    for (const [at, { whose = "own", priority = 0, blind, fate }] of made.entries()) {
      const condition = blind ? { any: [] } : mine;
      const { id } = await rules.make({ name: `Rule ${at}`, tenantId: tenants[whose], priority, condition });
      if (fate === "deleted") await rules.remove(id);
      else if (fate) await rules.patch(id, { status: "INACTIVE" });
      if (fate === "INACTIVE and back") await rules.patch(id, { status: "ACTIVE" });
    }
    const { data } = await create(backup(tenantId));
    expect(data.status).toBe(decides === null ? "PENDING" : "PENDING_APPROVAL");
    if (decides !== null) expect((await approvalOf(admin, data.id)).ruleName).toBe(`Rule ${decides}`);
  });
});
