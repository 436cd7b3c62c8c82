import fc from "fast-check";
import type { ConditionFacts } from "../../actors/provisioning/conditions.ts";
import type { ConditionNode } from "../../schema/provisioning/approval-rule.ts";

/* Facts and trees for the tests of conditions. */

export const facts: ConditionFacts = {
  ...{ resourceType: "VM", tenantId: "tenant-1", clusterId: null, orderId: "order-1" },
  specification: {
    vcpu: 16,
    image: "debian-12",
    region: null,
    sshKeys: ["a", 2],
    "a.b": "dotted",
    off: false,
  },
  metadata: { costCentre: "R&D", tags: [], nested: { name: "deep" }, vcpu: 1 },
  ...{ estimatedMonthlyCost: 500, quotaUsagePercent: null },
};

export const always: ConditionNode = { all: [] };
export const never: ConditionNode = { any: [] };

const names = ["resourceType", "clusterId", "estimatedMonthlyCost", "specification.a", "metadata.b"];
/** Few values, so that comparisons often hold. */
const scalar = fc.constantFrom<string | number | boolean>("", "a", "ab", "2", 0, 2, true, false);
const number = fc.constantFrom(-1, 0, 1, 2, 2.5);
const part = fc.constantFrom("", "a", "b", "ab");
const operands: [operators: string[], value: fc.Arbitrary<unknown>][] = [
  [["eq", "neq", "contains"], scalar],
  [["gt", "gte", "lt", "lte"], number],
  [["in", "nin"], fc.array(scalar, { minLength: 1, maxLength: 3 })],
  [["startsWith", "endsWith"], part],
  [["exists"], fc.boolean()],
];

export const leaves = fc
  .constantFrom(...operands)
  .chain(([operators, value]) =>
    fc.record({ field: fc.constantFrom(...names), operator: fc.constantFrom(...operators), value }),
  ) as fc.Arbitrary<ConditionNode>;

/** Any tree of at most five nodes from the root. */
export const trees: fc.Arbitrary<ConditionNode> = fc.letrec<{ tree: ConditionNode }>((tie) => {
  const inner = fc.array(tie("tree"), { maxLength: 3 });
  return {
    tree: fc.oneof(
      { maxDepth: 4 },
      leaves,
      fc.record({ all: inner }),
      fc.record({ any: inner }),
      fc.record({ not: tie("tree") }),
    ),
  };
}).tree;

const member = fc.option(fc.oneof(scalar, number, fc.array(scalar, { maxLength: 2 })));
export const anyFacts: fc.Arbitrary<ConditionFacts> = fc
  .record({
    resourceType: fc.constantFrom("a", "ab"),
    clusterId: fc.option(part),
    estimatedMonthlyCost: fc.option(number),
    specification: fc.record({ a: member }, { requiredKeys: [] }),
    metadata: fc.record({ b: member }, { requiredKeys: [] }),
  })
  .map((some) => ({ ...facts, ...some }));
