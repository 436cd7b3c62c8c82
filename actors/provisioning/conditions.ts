import { and, eq, inArray, isNull, or } from "drizzle-orm";
import type { PlainField } from "../../schema/provisioning/approval-condition.ts";
import {
  type ApprovalLeaf,
  type ApprovalRuleState,
  approvalRules,
  type ConditionNode,
} from "../../schema/provisioning/approval-rule.ts";
import type { CreateRequest } from "../../schema/provisioning/request-bodies.ts";
import type { Fact } from "../runtime/actor.ts";

/** What a condition may know of a new request; a field that is null is missing. */
export interface ConditionFacts extends Record<PlainField, string | number | null> {
  resourceType: string;
  tenantId: string;
  clusterId: string | null;
  orderId: string;
  specification: Record<string, unknown>;
  metadata: Record<string, unknown>;
  /** As the metadata says. */
  estimatedMonthlyCost: number | null;
  /** Of the fullest dimension, with the request in. */
  quotaUsagePercent: number | null;
}

/** The facts of a request that is placed on `clusterId` and, with it, fills its tenant's quota so far. */
export function factsOf(
  request: CreateRequest & { clusterId: string | null },
  quotaUsagePercent: number | null,
): ConditionFacts {
  const { resourceType, tenantId, clusterId, orderId, specification, metadata = {} } = request;
  return {
    ...{ resourceType, tenantId, clusterId, orderId, specification, metadata, quotaUsagePercent },
    estimatedMonthlyCost: estimatedMonthlyCost(metadata),
  };
}

/** What a request says that it costs a month; null where it says nothing that can be a cost. */
export function estimatedMonthlyCost(metadata: Record<string, unknown>): number | null {
  const cost = Object.hasOwn(metadata, "estimatedMonthlyCost") ? metadata["estimatedMonthlyCost"] : null;
  return typeof cost === "number" && Number.isFinite(cost) && cost >= 0 ? cost : null;
}

type Looked = (leaf: ConditionNode) => void;

/**
 * Whether a request matches a condition. Nodes are looked at from left to right until the answer is known, and
 * `looked` is told of each leaf: the last one decided. A list without nodes counts as a leaf.
 */
export function matches(node: ConditionNode, facts: ConditionFacts, looked?: Looked): boolean {
  if ("not" in node) return !matches(node.not, facts, looked);
  if ("field" in node) {
    looked?.(node);
    return holds(node, factOf(node.field, facts));
  }
  const [nodes, enough] = "all" in node ? ([node.all, false] as const) : ([node.any, true] as const);
  if (nodes.length === 0) looked?.(node);
  for (const inner of nodes) if (matches(inner, facts, looked) === enough) return enough;
  return !enough;
}

/** The fact that a field names; null where it is missing. */
function factOf(field: string, facts: ConditionFacts): unknown {
  const dot = field.indexOf(".");
  if (dot === -1) return facts[field as PlainField];
  const members = field.startsWith("specification.") ? facts.specification : facts.metadata;
  const name = field.slice(dot + 1);
  return Object.hasOwn(members, name) ? members[name] : null;
}

/** Compares without turning one type into another. */
function holds({ operator, value }: ApprovalLeaf, fact: unknown): boolean {
  switch (operator) {
    case "eq":
      return fact === value;
    case "neq":
      return fact !== value;
    case "gt":
      return typeof fact === "number" && fact > (value as number);
    case "gte":
      return typeof fact === "number" && fact >= (value as number);
    case "lt":
      return typeof fact === "number" && fact < (value as number);
    case "lte":
      return typeof fact === "number" && fact <= (value as number);
    case "in":
      return (value as unknown[]).includes(fact);
    case "nin":
      return !(value as unknown[]).includes(fact);
    case "startsWith":
      return typeof fact === "string" && fact.startsWith(value as string);
    case "endsWith":
      return typeof fact === "string" && fact.endsWith(value as string);
    case "contains":
      if (Array.isArray(fact)) return fact.includes(value);
      return typeof fact === "string" && typeof value === "string" && fact.includes(value);
    case "exists":
      return (fact !== null) === value;
  }
}

/** The JSON pointer of the leaf that makes a request match, such as `/condition/all/1`; null where it does not match. */
export function decidedBy(condition: ConditionNode, facts: ConditionFacts): string | null {
  let last = condition;
  const matching = matches(condition, facts, (leaf) => {
    last = leaf;
  });
  return matching ? pointerTo(last, condition, "/condition") : null;
}

/** Where a node stands in the tree below another; null where it is not in it. */
function pointerTo(wanted: ConditionNode, node: ConditionNode, place: string): string | null {
  if (node === wanted) return place;
  if ("not" in node) return pointerTo(wanted, node.not, `${place}/not`);
  if ("field" in node) return null;
  const [name, nodes] = "all" in node ? (["all", node.all] as const) : (["any", node.any] as const);
  for (const [at, inner] of nodes.entries()) {
    const found = pointerTo(wanted, inner, `${place}/${name}/${at}`);
    if (found !== null) return found;
  }
  return null;
}

type Placed = Pick<ApprovalRuleState, "id" | "tenantId" | "priority" | "createdAt">;

/** The order in which rules are asked: by priority, a tenant's own before those of the platform, the older first. */
export const byPrecedence = <R extends Placed>(rules: readonly R[]): R[] =>
  rules.toSorted(
    (a, b) =>
      b.priority - a.priority ||
      Number(a.tenantId === null) - Number(b.tenantId === null) ||
      a.createdAt.getTime() - b.createdAt.getTime() ||
      (a.id < b.id ? -1 : 1),
  );

/** The rule that decides: of these, in order of precedence, the first of the tenant or the platform that matches; null when none does. */
export const firstMatch = <R extends Pick<ApprovalRuleState, "tenantId" | "condition">>(
  rules: readonly R[],
  facts: ConditionFacts,
): R | null =>
  rules.find(
    ({ tenantId, condition }) =>
      (tenantId === null || tenantId === facts.tenantId) && matches(condition, facts),
  ) ?? null;

/** The active rules for the requests of a tenant, its own and the platform's, in order of precedence. */
export const activeRules: Fact<string, ApprovalRuleState[]> = {
  async read(db, tenantIds) {
    const asked = [...new Set(tenantIds)];
    const mayApply = or(isNull(approvalRules.tenantId), inArray(approvalRules.tenantId, asked));
    const found = await db
      .select()
      .from(approvalRules)
      .where(and(eq(approvalRules.status, "ACTIVE"), mayApply));
    const rules = byPrecedence(found);
    const byTenant = new Map(
      asked.map((asker) => [asker, rules.filter(({ tenantId }) => tenantId === null || tenantId === asker)]),
    );
    return (tenantId) => byTenant.get(tenantId) ?? [];
  },
};
