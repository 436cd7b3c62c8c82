import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person, vm } from "../house.ts";
import { expectEnvelope, expectInvalid, expectProblem } from "../http/answers.ts";
import { leaf, path, type Rules, rulesOf } from "./approval-rules.ts";

let house: House;
let ops: Person;
let rules: Rules;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  ops = await house.staff("OPS");
  rules = rulesOf(ops);
});
afterAll(() => house.close());

describe("POST /api/approvals/rules/preview", () => {
  const preview = (condition: object, sample: object = {}, headers: Record<string, string> = {}) =>
    ops.call("POST", `${path}/preview`, { condition, sample: { ...vm("tenant-1"), ...sample } }, headers);
  const costly = { field: "estimatedMonthlyCost", operator: "gt", value: 500 };

  const cases: [condition: object, metadata: object, decidedBy: string | null][] = [
    [leaf, {}, "/condition"],
    [{ all: [leaf, costly] }, { estimatedMonthlyCost: 500.01 }, "/condition/all/1"],
    [{ all: [leaf, costly] }, { estimatedMonthlyCost: 500 }, null],
    [{ all: [leaf, costly] }, { estimatedMonthlyCost: "501" }, null],
    [{ not: { any: [costly] }, approval: { minApprovals: 2 } }, {}, "/condition/not/any/0"],
    [{ any: [costly, { field: "clusterId", operator: "exists", value: false }] }, {}, "/condition/any/1"],
    [{ field: "specification.image", operator: "startsWith", value: "debian" }, {}, "/condition"],
    [{ field: "metadata.team", operator: "in", value: ["a", "b"] }, { team: "b" }, "/condition"],
    [{ field: "tenantId", operator: "neq", value: "tenant-1" }, {}, null],
  ];
  test.each(cases)("of %j with %j is decided by %p", async (condition, metadata, decidedBy) => {
    const answer = await preview(condition, { metadata });
    expectEnvelope(answer);
    expect(answer.data).toEqual({ matches: decidedBy !== null, decidedBy });
  });

  test("saves nothing, and asks no rule but the one that is shown", async () => {
    const { total } = (await ops.call("GET", path)).body.meta;
    await rules.make({ tenantId: null, condition: { any: [] } });
    expect((await preview({ any: [] })).data).toEqual({ matches: false, decidedBy: null });
    expect((await ops.call("GET", path)).body.meta.total).toBe(total + 1);
  });

  test("refuses a sample that could not be ordered", async () => {
    const sample = { resourceType: "VOLUME", orderId: "" };
    expectInvalid(
      await preview({ all: [{ ...leaf, field: "x" }] }, sample),
      ...["/condition/all/0/field", "/sample/orderId", "/sample/specification/sizeGb"],
      ...["vcpu", "memoryMb", "diskGb", "image"].map((field) => `/sample/specification/${field}`),
    );
  });

  test("is replayed with its Idempotency-Key", async () => {
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const [first, again] = [await preview(leaf, {}, headers), await preview(leaf, {}, headers)];
    expect([first.headers.get("idempotency-replayed"), again.headers.get("idempotency-replayed")]).toEqual([
      null,
      "true",
    ]);
    expect(again.data).toEqual(first.data);
    expectProblem(await preview({ not: leaf }, {}, headers), "idempotency_mismatch");
  });
});
