import type * as v from "valibot";
import { amountsOf, plus } from "../../actors/provisioning/amounts.ts";
import { type ConditionFacts, decidedBy, factsOf } from "../../actors/provisioning/conditions.ts";
import { highestPercent } from "../../actors/provisioning/limits.ts";
import { place } from "../../actors/provisioning/placement.ts";
import { approvalRules } from "../../schema/provisioning/approval-rule.ts";
import type {
  ApprovalRule,
  ApprovalRulePreviewed,
  PreviewApprovalRule,
} from "../../schema/provisioning/approval-rule-bodies.ts";
import type { CreateRequest } from "../../schema/provisioning/request-bodies.ts";
import type { World } from "../../schema/world.ts";
import type { Call } from "../http/call.ts";
import { listPage, listQuery } from "../http/paging.ts";
import { ruleView } from "./approval-rules.views.ts";
import { allClusters } from "./clusters.queries.ts";
import { quotaOf } from "./quotas.queries.ts";

export const ListApprovalRules = listQuery(["-createdAt", "createdAt", "-priority", "priority"], {});

/** A page of the rules, those that are switched off too. */
export async function listApprovalRules(
  world: World,
  call: Call,
  query: v.InferOutput<typeof ListApprovalRules>,
): Promise<ApprovalRule[]> {
  const { createdAt, priority } = approvalRules;
  const listed = { table: approvalRules, columns: { createdAt, priority }, where: [] };
  return (await listPage(world, call, listed, query)).map(ruleView);
}

/** Whether a request would match a condition, were it made now. */
export async function preview(
  world: World,
  { condition, sample }: PreviewApprovalRule,
): Promise<ApprovalRulePreviewed> {
  const decider = decidedBy(condition, await factsOfSample(world, sample));
  return { matches: decider !== null, decidedBy: decider };
}

/** What a condition would know of a request, were it made now. */
async function factsOfSample(world: World, sample: CreateRequest): Promise<ConditionFacts> {
  const amounts = amountsOf(sample);
  const [all, { limits, used }] = await Promise.all([allClusters(world), quotaOf(world, sample)]);
  const clusterId = place(all, sample, amounts)?.id ?? null;
  return factsOf({ ...sample, clusterId }, highestPercent(limits, plus(used, amounts)));
}
