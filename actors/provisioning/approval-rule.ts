import { isDeepStrictEqual } from "node:util";
import { type ApprovalRuleState, approvalRules } from "../../schema/provisioning/approval-rule.ts";
import {
  type CreateApprovalRule,
  ruleFields,
  type UpdateApprovalRule,
} from "../../schema/provisioning/approval-rule-bodies.ts";
import { type Decision, defineActor } from "../runtime/actor.ts";

/** Which new requests wait for people. It decides on those made after it; what waits already keeps its terms. */
export const approvalRule = defineActor({
  name: "approval rule",
  service: "provisioning",
  table: approvalRules,
  audited: true,
  accepts: { create: "new", update: "any", delete: "any" },
  commands: { create, update, delete: () => ({ remove: true }) as const },
});

function create(_: ApprovalRuleState, input: CreateApprovalRule): Decision<ApprovalRuleState> {
  return { set: { ...input, status: "ACTIVE" } };
}

/** What changes nothing leaves the version. */
function update(state: ApprovalRuleState, input: UpdateApprovalRule): Decision<ApprovalRuleState> {
  const changed = ruleFields.filter(
    (field) => input[field] !== undefined && !isDeepStrictEqual(input[field], state[field]),
  );
  if (changed.length === 0) return {};
  const changes = changed.map((field) => [field, { from: state[field], to: input[field] }]);
  const set = Object.fromEntries(changed.map((field) => [field, input[field]]));
  return { set, detail: { changes: Object.fromEntries(changes) } };
}
