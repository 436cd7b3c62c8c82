import { describe, expect, test } from "bun:test";
import {
  byPrecedence,
  decidedBy,
  estimatedMonthlyCost,
  factsOf,
  firstMatch,
  matches,
} from "../../actors/provisioning/conditions.ts";
import type {
  ApprovalLeaf,
  ConditionNode,
  ConditionOperator,
} from "../../schema/provisioning/approval-rule.ts";
import { always, facts, never } from "./conditions.ts";

const leaf = (field: string, operator: string, value: unknown) =>
  ({ field, operator, value }) as ApprovalLeaf;
const yes = leaf("resourceType", "eq", "VM");
const no = leaf("resourceType", "eq", "VOLUME");

describe("a comparison", () => {
  const cases: [field: string, operator: ConditionOperator, value: unknown, holds: boolean][] = [
    ["resourceType", "eq", "VM", true],
    ["resourceType", "eq", "vm", false],
    ["resourceType", "neq", "VOLUME", true],
    ["resourceType", "neq", "VM", false],
    ["tenantId", "eq", "tenant-1", true],
    ["orderId", "startsWith", "order-", true],
    ["orderId", "startsWith", "rder", false],
    ["orderId", "startsWith", "", true],
    ["orderId", "endsWith", "-1", true],
    ["orderId", "endsWith", "order", false],
    ["orderId", "contains", "der", true],
    ["orderId", "contains", "der.1", false],
    ["orderId", "contains", ".*", false],
    ["resourceType", "in", ["VOLUME", "VM"], true],
    ["resourceType", "in", ["VOLUME"], false],
    ["resourceType", "nin", ["VOLUME"], true],
    ["resourceType", "nin", ["VOLUME", "VM"], false],
    // Bounds.
    ["specification.vcpu", "gt", 15.9, true],
    ["specification.vcpu", "gt", 16, false],
    ["specification.vcpu", "gte", 16, true],
    ["specification.vcpu", "gte", 16.1, false],
    ["specification.vcpu", "lt", 16.1, true],
    ["specification.vcpu", "lt", 16, false],
    ["specification.vcpu", "lte", 16, true],
    ["specification.vcpu", "lte", 15, false],
    ["estimatedMonthlyCost", "gte", 500, true],
    // No type is turned into another.
    ["specification.vcpu", "eq", "16", false],
    ["specification.vcpu", "neq", "16", true],
    ["specification.vcpu", "in", ["16"], false],
    ["specification.vcpu", "startsWith", "1", false],
    ["specification.vcpu", "contains", 1, false],
    ["specification.image", "gt", 0, false],
    ["specification.image", "lte", 1e9, false],
    ["specification.image", "contains", 12, false],
    ["specification.off", "eq", false, true],
    ["specification.off", "eq", 0, false],
    ["specification.off", "exists", true, true],
    // Lists.
    ["specification.sshKeys", "contains", "a", true],
    ["specification.sshKeys", "contains", 2, true],
    ["specification.sshKeys", "contains", "2", false],
    ["specification.sshKeys", "eq", "a", false],
    ["specification.sshKeys", "in", ["a"], false],
    ["metadata.tags", "contains", "", false],
    ["metadata.tags", "exists", true, true],
    // One level, and own members alone.
    ["specification.a.b", "eq", "dotted", true],
    ["metadata.nested.name", "exists", true, false],
    ["metadata.nested", "exists", true, true],
    ["metadata.nested", "contains", "name", false],
    ["metadata.vcpu", "eq", 1, true],
    ["metadata.toString", "exists", true, false],
    ["metadata.__proto__", "exists", true, false],
    ["specification.constructor", "neq", "x", true],
    ["metadata.costCentre ", "exists", true, false],
  ];
  test.each(cases)("%s %s %p: %p", (field, operator, value, holds) => {
    expect(matches(leaf(field, operator, value), facts)).toBe(holds);
  });

  const onMissing: [operator: ConditionOperator, value: unknown, holds: boolean][] = [
    ["eq", "", false],
    ["neq", "x", true],
    ["gt", -1, false],
    ["gte", 0, false],
    ["lt", 1, false],
    ["lte", 0, false],
    ["in", ["", 0, false], false],
    ["nin", ["", 0, false], true],
    ["startsWith", "", false],
    ["endsWith", "", false],
    ["contains", "", false],
    ["exists", true, false],
    ["exists", false, true],
  ];
  describe.each([
    "clusterId",
    "quotaUsagePercent",
    "specification.region",
    "specification.none",
    "metadata.x",
  ])("with %s, which is missing or null,", (field) => {
    test.each(onMissing)("by %s %p: %p", (operator, value, holds) => {
      expect(matches(leaf(field, operator, value), facts)).toBe(holds);
    });
  });
});

describe("a tree", () => {
  const cases: [tree: ConditionNode, decider: string | null][] = [
    [yes, "/condition"],
    [no, null],
    [{ all: [yes, yes] }, "/condition/all/1"],
    [{ all: [yes, no, yes] }, null],
    [{ any: [no, yes, yes] }, "/condition/any/1"],
    [{ any: [no, no] }, null],
    [{ not: no }, "/condition/not"],
    [{ not: yes }, null],
    [{ not: { not: yes } }, "/condition/not/not"],
    [{ not: { all: [yes, no, yes] } }, "/condition/not/all/1"],
    [{ not: { any: [no, no] } }, "/condition/not/any/1"],
    [
      { all: [{ any: [no, yes] }, { not: { all: [yes, { any: [no] }] } }] },
      "/condition/all/1/not/all/1/any/0",
    ],
    [always, "/condition"],
    [never, null],
    [{ not: never }, "/condition/not"],
    [{ any: [no, always] }, "/condition/any/1"],
    [{ all: [yes, { not: never }] }, "/condition/all/1/not"],
  ];
  // Copied, so that no node stands in two places.
  test.each(cases)("%j is decided by %p", (shared, decider) => {
    const tree = JSON.parse(JSON.stringify(shared));
    expect(decidedBy(tree, facts)).toBe(decider);
    expect(matches(tree, facts)).toBe(decider !== null);
  });

  test("is looked at from left to right, and no further than it needs", () => {
    const looked: ConditionNode[] = [];
    const [first, second, third] = [{ ...no }, { ...yes }, { ...yes }];
    matches({ all: [{ any: [first, second, third] }, { ...no }, third] }, facts, (node) => looked.push(node));
    expect(looked).toHaveLength(3);
    expect(looked[0]).toBe(first);
    expect(looked[1]).toBe(second);
  });

  test("does not mind what stands beside its root", () => {
    expect(decidedBy({ ...yes, approval: { minApprovals: 2 } } as ConditionNode, facts)).toBe("/condition");
    expect(decidedBy({ approval: {}, not: no } as ConditionNode, facts)).toBe("/condition/not");
  });
});

const rule = (
  id: string,
  more: { tenantId?: string; priority?: number; at?: number; condition?: ConditionNode },
) => ({
  id,
  tenantId: more.tenantId ?? null,
  priority: more.priority ?? 0,
  createdAt: new Date(more.at ?? 0),
  condition: more.condition ?? always,
});
const idsOf = (rules: { id: string }[]) => rules.map(({ id }) => id);

describe("byPrecedence", () => {
  test("asks the higher first, then a tenant's own, then the older, then the smaller id", () => {
    const ordered = [
      rule("high platform", { priority: 1000, at: 9 }),
      rule("own, the older", { priority: 5, tenantId: "tenant-2", at: 1 }),
      rule("own, after that", { priority: 5, tenantId: "tenant-1", at: 2 }),
      rule("platform", { priority: 5, at: 0 }),
      rule("platform, same time a", { at: 3 }),
      rule("platform, same time b", { at: 3 }),
      rule("youngest", { at: 4 }),
    ];
    const given = ordered.toReversed();
    expect(idsOf(byPrecedence(given))).toEqual(idsOf(ordered));
    expect(idsOf(given)).toEqual(idsOf(ordered.toReversed()));
  });
});

describe("firstMatch", () => {
  test("is the first that matches, of the tenant or the platform", () => {
    const rules = [
      rule("another's", { tenantId: "tenant-2" }),
      rule("no match", { tenantId: "tenant-1", condition: no }),
      rule("platform", {}),
      rule("later", { tenantId: "tenant-1" }),
    ];
    expect(firstMatch(rules, facts)?.id).toBe("platform");
    expect(firstMatch(rules.slice(0, 2), facts)).toBeNull();
    expect(firstMatch([], facts)).toBeNull();
  });
});

describe("the facts of a request", () => {
  const request = {
    ...{ tenantId: "t", orderId: "o", orderItemId: "i", clusterId: "c" },
    ...{ resourceType: "FLOATING_IP" as const, specification: { family: 4 as const } },
  };

  test("are what it says of itself, and what is known of it", () => {
    expect(factsOf({ ...request, metadata: { estimatedMonthlyCost: 2.5, a: 1 } }, 80)).toEqual({
      ...{ resourceType: "FLOATING_IP", tenantId: "t", clusterId: "c", orderId: "o" },
      specification: { family: 4 },
      metadata: { estimatedMonthlyCost: 2.5, a: 1 },
      ...{ estimatedMonthlyCost: 2.5, quotaUsagePercent: 80 },
    });
    const bare = { metadata: {}, estimatedMonthlyCost: null, quotaUsagePercent: null };
    expect(factsOf(request, null)).toMatchObject(bare);
  });

  const costs: [said: unknown, cost: number | null][] = [
    [0, 0],
    [0.01, 0.01],
    [1e9, 1e9],
    [-0.01, null],
    [Number.POSITIVE_INFINITY, null],
    [Number.NaN, null],
    ["500", null],
    [true, null],
    [null, null],
    [[500], null],
    [undefined, null],
  ];
  test.each(costs)("take a cost of %p for %p", (said, cost) => {
    expect(estimatedMonthlyCost({ estimatedMonthlyCost: said })).toBe(cost);
  });
});
