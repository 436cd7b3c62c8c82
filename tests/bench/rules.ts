import { type ConditionFacts, firstMatch } from "../../actors/provisioning/conditions.ts";
import type { ApprovalLeaf, ConditionNode } from "../../schema/provisioning/approval-rule.ts";
import { measure, show } from "./measure.ts";

/* The rules that a new request is held against: a thousand of three leaves, of which the last alone matches. */

const count = 1000;
const rounds = 2000;

const facts: ConditionFacts = {
  ...{ resourceType: "VM", tenantId: "tenant-1", clusterId: "cluster-1", orderId: "order-1" },
  specification: { vcpu: 16, memoryMb: 65_536, diskGb: 400, image: "debian-12", region: "eu" },
  metadata: { costCentre: "research", tags: ["a", "b"] },
  ...{ estimatedMonthlyCost: 500, quotaUsagePercent: 60 },
};

/** Each leaf but the last holds, so that all three are looked at. */
const leavesOf = (n: number): ApprovalLeaf[] => [
  { field: "resourceType", operator: "in", value: ["BARE_METAL", "VM"] },
  { field: "specification.vcpu", operator: "gte", value: 1 + (n % 16) },
  { field: "metadata.costCentre", operator: "eq", value: n === count - 1 ? "research" : `centre-${n}` },
];

export async function rules(): Promise<void> {
  const leaves = Array.from({ length: count }, (_, n) => leavesOf(n));
  // Read as JSON, as they come from the database.
  const held = leaves.map((all, n) => ({ n, tenantId: null, condition: copyOf({ all }) }));
  const wanted = leaves.map((three) => three.map(({ value }) => value));
  const evaluate = async () => {
    if (firstMatch(held, facts)?.n !== count - 1) throw new Error("The last rule alone should match.");
  };
  const compare = async () => {
    if (comparisons(wanted) === 0) throw new Error("Some properties should hold.");
  };
  for (const work of [evaluate, compare]) await measure(rounds, 1, work); // warm
  console.log(`rules: ${count.toLocaleString("en")} of three leaves, none matching until the last`);
  const [own, bare] = [await measure(rounds, 1, evaluate), await measure(rounds, 1, compare)];
  show("a request held against all (under 1 ms)", own);
  show(`${(3 * count).toLocaleString("en")} bare comparisons`, bare);
  console.log(`  ${(own.p50 / bare.p50).toFixed(1)} x the bare comparisons`);
}

const copyOf = (node: ConditionNode): ConditionNode => JSON.parse(JSON.stringify(node));

/** The limit: the same three properties, compared by code that was written for them. */
function comparisons(wanted: unknown[][]): number {
  const { resourceType, specification, metadata } = facts;
  let holding = 0;
  for (const [types, vcpu, centre] of wanted) {
    if ((types as string[]).includes(resourceType)) holding++;
    if ((specification["vcpu"] as number) >= (vcpu as number)) holding++;
    if (metadata["costCentre"] === centre) holding++;
  }
  return holding;
}
