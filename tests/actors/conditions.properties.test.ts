import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type ConditionFacts, decidedBy, matches } from "../../actors/provisioning/conditions.ts";
import { ApprovalCondition } from "../../schema/provisioning/approval-condition.ts";
import type { ConditionNode } from "../../schema/provisioning/approval-rule.ts";
import { checked } from "../../src/http/checks.ts";
import { anyFacts, leaves, trees } from "./conditions.ts";

/** Checks a promise for any tree and any request. */
const always = (promise: (tree: ConditionNode, facts: ConditionFacts) => void) =>
  fc.assert(fc.property(trees, anyFacts, promise), { numRuns: 1000 });

const not = (node: ConditionNode): ConditionNode => ({ not: node });

/** The node at a pointer below `/condition`, and how often it is turned round on the way. */
function nodeAt(tree: ConditionNode, pointer: string): { node: any; turns: number } {
  const keys = pointer.split("/").slice(2);
  const node = keys.reduce((inner: any, key) => inner[key], tree);
  return { node, turns: keys.filter((key) => key === "not").length };
}

describe("any condition", () => {
  test("can be saved as it is", () => {
    // Trees of five nodes and three branches have up to 81 leaves; those with more than 50 are no conditions.
    always((tree) => {
      const { output, faults } = checked(ApprovalCondition, tree, "");
      if (countLeaves(tree) <= 50) expect([output, faults]).toEqual([tree, []]);
      else expect(faults).toEqual([{ pointer: "", message: expect.any(String) }]);
    });
  });

  test("is turned round by not", () => {
    always((tree, facts) => {
      expect(matches(not(tree), facts)).toBe(!matches(tree, facts));
      expect(matches(not(not(tree)), facts)).toBe(matches(tree, facts));
    });
  });

  test("is the same alone, in a list of one, and twice", () => {
    always((tree, facts) => {
      const alone = matches(tree, facts);
      for (const nodes of [[tree], [tree, tree]])
        expect([matches({ all: nodes }, facts), matches({ any: nodes }, facts)]).toEqual([alone, alone]);
    });
  });

  test("answers alike whether or not somebody looks on, and changes nothing", () => {
    always((tree, facts) => {
      const before = JSON.stringify([tree, facts]);
      expect(matches(tree, facts, () => {})).toBe(matches(tree, facts));
      expect(JSON.stringify([tree, facts])).toBe(before);
    });
  });

  test("is decided by the leaf that is named: what that says alone, turned round by each not above it", () => {
    always((tree, facts) => {
      const pointer = decidedBy(tree, facts);
      expect(pointer !== null).toBe(matches(tree, facts));
      if (pointer === null) return;
      const { node, turns } = nodeAt(tree, pointer);
      expect("field" in node || (node.all ?? node.any).length === 0).toBe(true);
      expect(matches(node, facts)).toBe(turns % 2 === 0);
    });
  });
});

describe("any list of conditions", () => {
  const lists = fc.array(trees, { maxLength: 4 });
  const alwaysList = (promise: (nodes: ConditionNode[], facts: ConditionFacts) => void) =>
    fc.assert(fc.property(lists, anyFacts, promise), { numRuns: 500 });

  test("keeps to De Morgan", () => {
    alwaysList((nodes, facts) => {
      expect(matches(not({ all: nodes }), facts)).toBe(matches({ any: nodes.map(not) }, facts));
      expect(matches(not({ any: nodes }), facts)).toBe(matches({ all: nodes.map(not) }, facts));
    });
  });

  test("matches in any order", () => {
    alwaysList((nodes, facts) => {
      const turned = nodes.toReversed();
      expect(matches({ all: turned }, facts)).toBe(matches({ all: nodes }, facts));
      expect(matches({ any: turned }, facts)).toBe(matches({ any: nodes }, facts));
    });
  });
});

describe("any comparison", () => {
  const opposites = [
    ["eq", "neq"],
    ["in", "nin"],
  ] as const;
  test.each(opposites)("by %s is the opposite of %s", (operator, opposite) => {
    fc.assert(
      fc.property(leaves, anyFacts, (leaf, facts) => {
        const value = operator === "in" ? [(leaf as any).value].flat() : (leaf as any).value;
        const by = (how: string) => matches({ ...leaf, operator: how, value } as ConditionNode, facts);
        expect(by(operator)).toBe(!by(opposite));
      }),
    );
  });
});

function countLeaves(node: any): number {
  if (node.not) return countLeaves(node.not);
  const inner: unknown[] = node.all ?? node.any ?? [];
  return inner.reduce((sum: number, each) => sum + countLeaves(each), 0) || 1;
}
