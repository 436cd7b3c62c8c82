import { describe, expect, test } from "bun:test";
import { ApprovalCondition } from "../../schema/provisioning/approval-condition.ts";
import type { operators } from "../../schema/provisioning/approval-rule.ts";
import { CreateApprovalRule, PreviewApprovalRule } from "../../schema/provisioning/approval-rule-bodies.ts";
import { checked } from "../../src/http/checks.ts";
import { neverEchoed } from "../endpoint.ts";
import { vm } from "../house.ts";

const leaf = { field: "resourceType", operator: "eq", value: "VM" };
const by = (operator: string, value: unknown, field = "metadata.x") => ({ field, operator, value });
const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
/** A node below `levels` others. */
const below = (levels: number, node: unknown): unknown =>
  levels === 0 ? node : below(levels - 1, levels % 2 ? { not: node } : { all: [node] });

/** Where a body with this condition is refused. */
function faultsOf(condition: unknown): { pointer: string; message: string }[] {
  const { faults } = checked(CreateApprovalRule, { name: "x", condition }, "");
  for (const { message } of faults) {
    expect(message).toMatch(/^[A-Z].*\.$/);
    expect(message).not.toContain(neverEchoed);
  }
  return faults;
}
const pointersOf = (condition: unknown) => faultsOf(condition).map(({ pointer }) => pointer);

describe("a condition", () => {
  const good: [what: string, condition: unknown][] = [
    ["a leaf", leaf],
    ["empty lists", { all: [{ any: [] }] }],
    ["five nodes on each other", below(4, leaf)],
    ["fifty leaves", { any: times(50, () => leaf) }],
    ["fifty leaves in all", { all: times(5, () => ({ any: times(10, () => leaf) })) }],
    ["terms beside a leaf", { ...leaf, approval: { minApprovals: 5 } }],
    ["terms beside a list", { any: [leaf], approval: { expiresInHours: 0.001, onExpiry: "APPROVE" } }],
    ["terms beside a not", { not: leaf, approval: { minApprovals: 1, expiresInHours: 87_600 } }],
    ["terms that say nothing", { ...leaf, approval: {} }],
    ["any name of a member", by("exists", true, `metadata.a.b/c~d "ü" \n`)],
    ["the name of a member of 200 characters", by("exists", true, `specification.${"👩".repeat(200)}`)],
    ["text of 1000 characters", by("eq", "👩".repeat(1000))],
    ["text without any", by("startsWith", "")],
    [
      "a list of 1000",
      by(
        "in",
        times(1000, (i) => i),
      ),
    ],
    ["a list of all kinds", by("nin", ["", 0, -1.5, true, false])],
  ];
  test.each(good)("may have %s, and stays as it was given", (_, condition) => {
    expect(checked(ApprovalCondition, condition, "")).toEqual({ output: condition, faults: [] });
  });

  const fields = [
    ...["resourceType", "tenantId", "clusterId", "orderId", "estimatedMonthlyCost", "quotaUsagePercent"],
    ...["specification.vcpu", "metadata.x"],
  ];
  test.each(fields)("may look at %s", (field) => {
    expect(pointersOf(by("exists", true, field))).toEqual([]);
  });

  const noFields = [
    ...["", "status", "specification", "metadata", "specification.", "spec.vcpu", "Specification.vcpu"],
    ...[" resourceType", "resourceType.x", `metadata.${"x".repeat(201)}`, `metadata.${"👩".repeat(201)}`],
    ...[
      "__proto__",
      "constructor",
      "xmetadata.x",
      "a.specification.x",
      neverEchoed,
      null,
      5,
      ["resourceType"],
      {},
    ],
  ];
  test.each(noFields.map((field) => [field]))("may not look at %p", (field) => {
    expect(pointersOf({ all: [leaf, { ...leaf, field }] })).toEqual(["/condition/all/1/field"]);
  });
});

describe("an operator", () => {
  const scalars = ["VM", "", 2, -0.5, true, false];
  const noScalars = [null, [], ["VM"], {}, "x".repeat(1001)];
  const wanted: Record<string, { takes: unknown[]; refuses: unknown[]; message: RegExp }> = {
    scalar: { takes: scalars, refuses: noScalars, message: /text|characters/ },
    number: { takes: [0, -1, 1.5, 1e308], refuses: ["2", true, null, [2], {}, Infinity], message: /number/ },
    list: {
      takes: [[1], ["a", 2, true]],
      refuses: [[], "VM", 2, null, { 0: "a" }, times(1001, (i) => i)],
      message: /list of 1 to 1000/,
    },
    text: {
      takes: ["", "VM"],
      refuses: [2, true, null, ["VM"], "x".repeat(1001)],
      message: /text|characters/,
    },
    truth: { takes: [true, false], refuses: ["true", 1, 0, null, [true]], message: /true or false/ },
  };
  const wants: Record<(typeof operators)[number], string> = {
    ...{ eq: "scalar", neq: "scalar", contains: "scalar" },
    ...{ gt: "number", gte: "number", lt: "number", lte: "number" },
    ...{ in: "list", nin: "list", startsWith: "text", endsWith: "text", exists: "truth" },
  };
  describe.each(Object.entries(wants))("%s", (operator, kind) => {
    const { takes, refuses, message } = wanted[kind]!;
    test("takes what it can compare", () => {
      for (const value of takes) expect(pointersOf(by(operator, value))).toEqual([]);
    });
    test("points at any other value, and says what it wants", () => {
      for (const value of refuses) {
        const fault = { pointer: "/condition/any/1/value", message: expect.stringMatching(message) };
        expect(faultsOf({ any: [leaf, by(operator, value)] })).toEqual([fault]);
      }
    });
    test("needs a value", () => {
      expect(faultsOf({ field: "orderId", operator })).toEqual([
        { pointer: "/condition/value", message: "Is required." },
      ]);
    });
  });

  test("is one of those there are", () => {
    for (const operator of ["", "EQ", "==", "like", "regex", "constructor", neverEchoed, null, 5, ["eq"]])
      for (const value of [1, [null], {}])
        expect(pointersOf(by(operator as string, value))).toEqual(["/condition/operator"]);
  });

  test("of lists points at each member that is no text, number or truth value", () => {
    expect(pointersOf(by("in", ["a", null, 1, ["b"], {}]))).toEqual(
      [1, 3, 4].map((at) => `/condition/value/${at}`),
    );
  });
});

describe("a fault", () => {
  const cases: [condition: unknown, ...pointers: string[]][] = [
    [{}, ""],
    [null, ""],
    ["", ""],
    [true, ""],
    [[leaf], ""],
    [{ approval: {} }, ""],
    [{ [neverEchoed]: [leaf] }, `/${neverEchoed}`],
    [{ ALL: [leaf] }, "/ALL"],
    [{ field: "orderId" }, "/operator", "/value"],
    [{ operator: "gt", value: "2" }, "/field", "/value"],
    [{ value: 1 }, "/field", "/operator"],
    // A node of two kinds.
    [{ all: [leaf], ...leaf }, "/field", "/operator", "/value"],
    [{ all: [leaf], any: [leaf] }, "/any"],
    [{ any: [leaf], not: leaf }, "/not"],
    [{ not: leaf, value: 1 }, "/value"],
    // Members that nobody knows.
    [{ ...leaf, colour: 1 }, "/colour"],
    [{ all: [leaf], "a/b~": 1, c: 2 }, "/a~1b~0", "/c"],
    [JSON.parse('{"all": [], "__proto__": {"any": []}}'), "/__proto__"],
    [JSON.parse('{"__proto__": {"all": []}}'), "/__proto__"],
    [JSON.parse('{"constructor": {"all": []}}'), "/constructor"],
    // Lists and nodes that are none.
    [{ all: leaf }, "/all"],
    [{ all: null }, "/all"],
    [{ any: "x" }, "/any"],
    [{ any: { 0: leaf, length: 1 } }, "/any"],
    [{ not: [leaf] }, "/not"],
    [{ not: null }, "/not"],
    [{ all: [leaf, null, 5, [leaf], {}] }, "/all/1", "/all/2", "/all/3", "/all/4"],
    // All at once, wherever they are.
    [
      { all: [by("like", 1), { any: [by("gt", "1"), { not: by("in", 5) }] }, by("eq", 1, "x")] },
      ...["/all/0/operator", "/all/1/any/0/value", "/all/1/any/1/not/value", "/all/2/field"],
    ],
    // Terms.
    [{ ...leaf, approval: null }, "/approval"],
    [{ ...leaf, approval: [] }, "/approval"],
    [{ ...leaf, approval: { minApprovals: 0 } }, "/approval/minApprovals"],
    [{ ...leaf, approval: { minApprovals: 6 } }, "/approval/minApprovals"],
    [{ ...leaf, approval: { minApprovals: 1.5 } }, "/approval/minApprovals"],
    [{ ...leaf, approval: { minApprovals: "2" } }, "/approval/minApprovals"],
    [{ ...leaf, approval: { expiresInHours: 0 } }, "/approval/expiresInHours"],
    [{ ...leaf, approval: { expiresInHours: -1 } }, "/approval/expiresInHours"],
    [{ ...leaf, approval: { expiresInHours: 87_600.1 } }, "/approval/expiresInHours"],
    [{ ...leaf, approval: { expiresInHours: null } }, "/approval/expiresInHours"],
    [{ ...leaf, approval: { onExpiry: "approve" } }, "/approval/onExpiry"],
    [{ ...leaf, approval: { minApprovals: 9, quorum: 2 } }, "/approval/minApprovals", "/approval/quorum"],
    [{ all: [{ ...leaf, approval: {} }] }, "/all/0/approval"],
    [{ not: { all: [], approval: {} } }, "/not/approval"],
  ];
  test.each(cases)("of %j is pointed at", (condition, ...pointers) => {
    expect(pointersOf(condition).sort()).toEqual(pointers.map((pointer) => `/condition${pointer}`).sort());
  });

  test("is pointed at in a preview too, beside those of the sample", () => {
    const body = { condition: { all: [by("gt", "2")] }, sample: { ...vm("t"), tenantId: "" } };
    const places = checked(PreviewApprovalRule, body, "").faults.map(({ pointer }) => pointer);
    expect(places).toEqual(["/condition/all/0/value", "/sample/tenantId"]);
  });
});

describe("a tree that is too large", () => {
  const deep: [what: string, condition: unknown, ...pointers: string[]][] = [
    ["a leaf", below(5, leaf), "/not/all/0/not/all/0/not"],
    ["any node", below(50, leaf), "/not/all/0/not/all/0/not"],
    ["what is no node", below(5, 5), "/not/all/0/not/all/0/not"],
    [
      "each of some",
      { all: [leaf, below(2, { any: [leaf, { not: leaf }, { not: [] }] })] },
      ...["/any/1/not", "/any/2/not"].map((end) => `/all/1/not/all/0${end}`),
    ],
  ];
  test.each(deep)("is refused where it is too deep: %s", (_, condition, ...pointers) => {
    expect(pointersOf(condition)).toEqual(pointers.map((pointer) => `/condition${pointer}`));
  });

  const wide: [what: string, condition: unknown][] = [
    ["leaves", { all: times(51, () => leaf) }],
    ["leaves in all", { all: [leaf, ...times(5, () => ({ any: times(10, () => leaf) }))] }],
    ["empty lists", { any: times(51, () => ({ all: [] })) }],
    ["nodes that are none", { any: times(51, () => null) }],
    ["leaves, deep ones too", { all: [below(10, leaf), ...times(50, () => leaf)] }],
    ["leaves in both lists of a node", { all: times(30, () => leaf), any: times(30, () => leaf) }],
  ];
  test.each(wide)("is refused as a whole where it has too many %s", (_, condition) => {
    expect(pointersOf(condition)).toEqual(["/condition"]);
  });

  test("is looked at no further than it takes to know", () => {
    let looked = 0;
    const counted = {
      get all() {
        looked++;
        return [];
      },
    };
    const list = Array(1_000_000).fill(counted);
    expect(pointersOf({ all: [{ any: list }] })).toEqual(["/condition"]);
    expect(looked).toBeLessThan(200);
  });

  test("of values too", () => {
    let looked = 0;
    const members = new Proxy(Array(1_000_000).fill("x"), {
      get(target, key, receiver) {
        looked++;
        return Reflect.get(target, key, receiver);
      },
    });
    expect(pointersOf(by("in", members))).toEqual(["/condition/value"]);
    expect(looked).toBeLessThan(200);
  });
});
