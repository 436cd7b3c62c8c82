import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { auditEntries } from "../../schema/runtime/audit-entry.ts";
import { type House, openHouse, type Person } from "../house.ts";
import { expectEnvelope, expectInvalid, expectProblem } from "../http/answers.ts";
import { condition, full, leaf, newTenant, path, type Rules, rulesOf } from "./approval-rules.ts";

let house: House;
let ops: Person;
let rules: Rules;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  ops = await house.staff("OPS");
  rules = rulesOf(ops);
});
afterAll(() => house.close());

describe("POST /api/approvals/rules", () => {
  test("makes an active rule with the defaults of what is not said", async () => {
    const answer = await ops.call("POST", path, { name: "All machines", condition: leaf });
    expectEnvelope(answer);
    expect([answer.status, answer.headers.get("etag")]).toEqual([201, '"1"']);
    expect(answer.headers.get("location")).toBe(`${path}/${answer.data.id}`);
    const { id, createdAt } = answer.data;
    expect(answer.data).toEqual({
      ...{ id, name: "All machines", description: null, condition: leaf, tenantId: null, priority: 0 },
      ...{ status: "ACTIVE", version: 1, createdAt, updatedAt: createdAt },
    });
    expect(await rules.find(id)).toEqual(answer.data);
    await rules.remove(id);
  });

  test("keeps every field as it was given", async () => {
    const made = await rules.make(full);
    expect(made).toMatchObject(full);
    expect(await rules.find(made.id)).toEqual(made);
    const largest = {
      ...{ name: "👩".repeat(200), description: "👩".repeat(10_000), tenantId: "👩".repeat(64), priority: 0 },
    };
    expect(await rules.make(largest)).toMatchObject(largest);
  });

  test("takes null, and a description without a character, for what can be missing", async () => {
    for (const description of [null, ""]) {
      const made = await rules.make({ description, tenantId: null, condition: { any: [] } });
      expect(made).toMatchObject({ description: null, tenantId: null });
    }
  });

  test("points at every fault at once", async () => {
    const wrong = { name: "", priority: 1001, condition: { all: [leaf, { ...leaf, operator: "gt" }] }, x: 1 };
    expectInvalid(await rules.create(wrong), "/name", "/priority", "/condition/all/1/value", "/x");
  });

  test("refuses a body of megabytes with a single fault, soon", async () => {
    const nodes = Array(400_000).fill({ all: [{ not: {} }] });
    expectInvalid(await rules.create({ condition: { any: nodes } }), "/condition");
    const deep = `${'{"not":'.repeat(60)}{}${"}".repeat(60)}`;
    const body = `{"name":"x","condition":${deep}}`;
    expectInvalid(await ops.call("POST", path, body), `/condition${"/not".repeat(5)}`);
  });

  test("makes one rule of the same Idempotency-Key", async () => {
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const tenantId = newTenant();
    const answers = [await rules.create({ tenantId }, headers), await rules.create({ tenantId }, headers)];
    expect(answers[1]?.headers.get("idempotency-replayed")).toBe("true");
    expect(answers[1]?.data).toEqual(answers[0]?.data);
    const { data } = await ops.call("GET", `${path}?limit=100`);
    expect(data.filter((rule: any) => rule.tenantId === tenantId)).toHaveLength(1);
  });
});

describe("PATCH /api/approvals/rules/{id}", () => {
  const changes = {
    ...{ name: "Renamed", description: "Why", condition, tenantId: "tenant-x", priority: 7 },
    status: "INACTIVE",
  };
  test.each(Object.entries(changes))("changes %s and nothing else", async (field, value) => {
    const made = await rules.make();
    const answer = await rules.patch(made.id, { [field]: value });
    const { updatedAt } = answer.data;
    expect([answer.status, answer.headers.get("etag")]).toEqual([200, '"2"']);
    expect(answer.data).toEqual({ ...made, [field]: value, version: 2, updatedAt });
    expect(updatedAt >= made.updatedAt).toBe(true);
    expect(await rules.find(made.id)).toEqual(answer.data);
  });

  test("clears the description and the tenant with null", async () => {
    const made = await rules.make({ description: "Why", condition: { any: [] } });
    const cleared = { description: null, tenantId: null };
    expect((await rules.patch(made.id, cleared)).data).toMatchObject({ ...cleared, version: 2 });
  });

  test("leaves the version where it changes nothing", async () => {
    const { id, version, updatedAt } = await rules.make({ ...changes, status: undefined });
    const { name, condition } = changes;
    const turned = { approval: condition.approval, any: condition.any };
    for (const body of [{}, { name }, { condition: turned }, { priority: 7, status: "ACTIVE" }])
      expect((await rules.patch(id, body)).data).toMatchObject({ version, updatedAt });
    const again = await rules.make({ description: null, priority: 0 });
    expect((await rules.patch(again.id, { description: "", priority: -0 })).data.version).toBe(1);
  });

  test("replaces a condition as a whole", async () => {
    const { id } = await rules.make({ condition });
    expect((await rules.patch(id, { condition: leaf })).data.condition).toEqual(leaf);
  });

  test("writes each change into the audit, with who made it", async () => {
    const { id } = await rules.make({ name: "Old" });
    await rules.patch(id, { name: "Old" });
    await rules.patch(id, { name: "New", status: "INACTIVE" });
    await rules.remove(id);
    const { recordId, version } = auditEntries;
    const rows = await house.world.db.select().from(auditEntries).where(eq(recordId, id)).orderBy(version);
    expect(rows.map(({ command, from, to, actorId }) => [command, from, to, actorId])).toEqual([
      ["create", null, "ACTIVE", ops.id],
      ["update", "ACTIVE", "INACTIVE", ops.id],
      ["delete", "INACTIVE", "INACTIVE", ops.id],
    ]);
    const changes = { name: { from: "Old", to: "New" }, status: { from: "ACTIVE", to: "INACTIVE" } };
    expect(rows.map(({ detail }) => detail)).toEqual([null, { changes }, null]);
  });
});

describe("DELETE /api/approvals/rules/{id}", () => {
  test("takes the rule away", async () => {
    const { id } = await rules.make();
    expect((await rules.remove(id)).data).toEqual({ id, deleted: true });
    expect(await rules.find(id)).toBeUndefined();
    expectProblem(await rules.remove(id), "not_found");
    expectProblem(await ops.call("GET", `${path}/${id}`), "not_found");
    expectProblem(await rules.patch(id, { name: "x" }), "not_found");
  });
});

const ifMatch = (version: number) => ({ "If-Match": `"${version}"` });

describe("If-Match", () => {
  for (const [command, send] of [
    ["PATCH", (id: string, tag: object) => rules.patch(id, { name: "New" }, tag as any)],
    ["DELETE", (id: string, tag: object) => rules.remove(id, tag as any)],
  ] as const)
    test(`is honoured by ${command}`, async () => {
      const { id } = await rules.make();
      await rules.patch(id, { priority: 1 });
      expectProblem(await send(id, ifMatch(1)), "precondition_failed");
      expect((await rules.find(id)).version).toBe(2);
      expect((await send(id, ifMatch(2))).status).toBe(200);
    });

  test("lets one of many writers through", async () => {
    const { id } = await rules.make();
    const names = Array.from({ length: 12 }, (_, i) => `Name ${i}`);
    const answers = await Promise.all(names.map((name) => rules.patch(id, { name }, ifMatch(1))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(412)]);
    expect((await rules.find(id)).version).toBe(2);
  });
});

describe("an id that no rule has", () => {
  const ids = ["01930b1c-7d5e-7a3b-8c21-4f9d6e0a1b2c", "1", "%00", "ü", "'", "x".repeat(3000)];
  test.each(ids)("is not found: %p", async (id) => {
    expectProblem(await ops.call("GET", `${path}/${id}`), "not_found");
    expectProblem(await rules.patch(id, { name: "x" }), "not_found");
    expectProblem(await rules.remove(id), "not_found");
  });
});

describe("GET /approvals/rules/{id}", () => {
  test("answers the rule where its Location says", async () => {
    const made = await rules.make();
    const found = await ops.call("GET", `${path}/${made.id}`);
    expect([found.data, found.headers.get("etag")]).toEqual([made, '"1"']);
  });
});
