import type { ApprovalRuleState } from "../../schema/provisioning/approval-rule.ts";
import type { ApprovalRule } from "../../schema/provisioning/approval-rule-bodies.ts";
import { recordView } from "../http/record-view.ts";

/** A rule as it is answered. */
export const ruleView = (state: ApprovalRuleState): ApprovalRule => recordView(state);
