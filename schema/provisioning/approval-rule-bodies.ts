import * as v from "valibot";
import {
  exampleId,
  ForeignId,
  Id,
  integer,
  line,
  lines,
  object,
  Timestamp,
  textLike,
  Version,
} from "../values.ts";
import { ApprovalCondition } from "./approval-condition.ts";
import { ruleStatuses } from "./approval-rule.ts";
import { CreateRequest } from "./request-bodies.ts";

/* What a rule is made and changed with, how it is answered, and its preview. */

/** Null takes away what can be missing. */
const fields = {
  name: v.pipe(line(1, 200), v.examples(["Large machines"])),
  description: v.nullable(
    v.pipe(
      lines(0, 10_000),
      v.examples(["Two of us look at machines with 16 cores or more."]),
      v.transform((given) => given || null),
    ),
  ),
  condition: ApprovalCondition,
  tenantId: v.nullable(
    v.pipe(
      ForeignId,
      v.description("The tenant whose requests it is for; null: those of every tenant."),
      v.examples([exampleId]),
    ),
  ),
  priority: v.pipe(
    integer(0, 1000),
    v.description("Of the rules that match, the one with the highest decides."),
    v.transform((given) => given || 0), // -0 is 0
  ),
};

/** The fields that a client sets. */
export const ruleFields = [...Object.keys(fields), "status"] as (keyof typeof fields | "status")[];

export const CreateApprovalRule = v.pipe(
  object({
    name: fields.name,
    condition: fields.condition,
    description: v.optional(fields.description, null),
    tenantId: v.optional(fields.tenantId, null),
    priority: v.optional(fields.priority, 0),
  }),
  v.title("ApprovalRuleCreate"),
);
export type CreateApprovalRule = v.InferOutput<typeof CreateApprovalRule>;

export const UpdateApprovalRule = v.pipe(
  object(v.partial(v.strictObject({ ...fields, status: v.picklist(ruleStatuses) })).entries),
  v.title("ApprovalRuleUpdate"),
  v.examples([{ status: "INACTIVE" as const }]),
);
export type UpdateApprovalRule = v.InferOutput<typeof UpdateApprovalRule>;

export const ApprovalRule = v.pipe(
  object({
    id: Id,
    name: textLike("Large machines"),
    description: v.nullable(textLike("Two of us look at machines with 16 cores or more.")),
    condition: ApprovalCondition,
    tenantId: v.nullable(textLike(exampleId)),
    priority: integer(0, 1000),
    status: v.picklist(ruleStatuses),
    version: Version,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
  v.title("ApprovalRule"),
);
export type ApprovalRule = v.InferOutput<typeof ApprovalRule>;

export const PreviewApprovalRule = v.pipe(
  object({ condition: ApprovalCondition, sample: CreateRequest }),
  v.title("ApprovalRulePreview"),
);
export type PreviewApprovalRule = v.InferOutput<typeof PreviewApprovalRule>;

export const ApprovalRulePreviewed = v.pipe(
  object({
    matches: v.boolean(),
    decidedBy: v.pipe(
      v.nullable(v.string()),
      v.description("Where the leaf that decided stands, as a JSON pointer; null without a match."),
      v.examples(["/condition/all/1"]),
    ),
  }),
  v.title("ApprovalRulePreviewed"),
);
export type ApprovalRulePreviewed = v.InferOutput<typeof ApprovalRulePreviewed>;
