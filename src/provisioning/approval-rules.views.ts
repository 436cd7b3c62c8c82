import type { ApprovalRuleState } from "../../schema/provisioning/approval-rule.ts";
import type { ApprovalRule } from "../../schema/provisioning/approval-rule-bodies.ts";

/** A rule as it is answered. */
export const ruleView = ({
  id,
  version,
  createdAt,
  updatedAt,
  ...shown
}: ApprovalRuleState): ApprovalRule => ({
  id,
  ...shown,
  version,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});
