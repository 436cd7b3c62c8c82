import { Elysia } from "elysia";
import * as v from "valibot";
import { approvalRule } from "../../actors/provisioning/approval-rule.ts";
import { approvalRules } from "../../schema/provisioning/approval-rule.ts";
import {
  ApprovalRule,
  ApprovalRulePreviewed,
  CreateApprovalRule,
  PreviewApprovalRule,
  UpdateApprovalRule,
} from "../../schema/provisioning/approval-rule-bodies.ts";
import { Deleted } from "../../schema/values.ts";
import { endpoint } from "../http/endpoint.ts";
import { findRecord } from "../http/finding.ts";
import { idiom } from "../http/idiom.ts";
import type { Landfall } from "../landfall.ts";
import { ListApprovalRules, listApprovalRules, preview } from "./approval-rules.queries.ts";
import { ruleView } from "./approval-rules.views.ts";

const tag = "Approvals";
const write = { tag, may: "approval-rules.write" } as const;

export const approvalRuleRoutes = (landfall: Landfall) => {
  const { world } = landfall;
  return new Elysia({ prefix: "/approvals/rules" })
    .use(idiom(landfall))
    .get(
      "",
      ({ call, query }) => listApprovalRules(world, call, query),
      endpoint({
        id: "listApprovalRules",
        tag,
        may: "approval-rules.read",
        summary: "List approval rules",
        query: ListApprovalRules,
        answer: v.array(ApprovalRule),
        list: true,
      }),
    )
    .post(
      "",
      ({ call, body }) => call.send(approvalRule.create, undefined, body, ruleView, 201),
      endpoint({
        id: "createApprovalRule",
        ...write,
        summary: "Create an approval rule",
        description:
          "It is `ACTIVE` from now on, for requests made after it. Of the rules that match a request one decides: by `priority`, then a tenant's own before one for all tenants, then the older.",
        body: CreateApprovalRule,
        answer: ApprovalRule,
        statuses: [201],
      }),
    )
    .get(
      "/:id",
      async ({ params }) =>
        ruleView(await findRecord(world, approvalRules, null, params.id, "approval rule")),
      endpoint({
        id: "getApprovalRule",
        tag,
        may: "approval-rules.read",
        summary: "Get an approval rule by ID",
        answer: ApprovalRule,
        errors: ["not_found"],
      }),
    )
    .patch(
      "/:id",
      ({ call, params, body }) => call.send(approvalRule.update, params.id, body, ruleView),
      endpoint({
        id: "updateApprovalRule",
        ...write,
        summary: "Update an approval rule",
        description:
          "Changes only the fields given; a condition is replaced as a whole. What changes nothing leaves the version. Requests that wait already keep the terms they were held back with.",
        body: UpdateApprovalRule,
        answer: ApprovalRule,
        errors: ["not_found", "precondition_failed"],
      }),
    )
    .delete(
      "/:id",
      ({ call, params }) =>
        call.send(approvalRule.delete, params.id, {}, ({ id }) => ({ id, deleted: true as const })),
      endpoint({
        id: "deleteApprovalRule",
        ...write,
        summary: "Delete an approval rule",
        description: "Requests that it held back wait on.",
        answer: Deleted,
        errors: ["not_found", "precondition_failed"],
      }),
    )
    .post(
      "/preview",
      async ({ call, body }) => {
        const previewed = await preview(world, body);
        return call.sendAll([], () => previewed);
      },
      endpoint({
        id: "previewApprovalRule",
        ...write,
        summary: "Try a condition on a request",
        description:
          "Says whether the condition would hold back a request like `sample`, were it made now, and which leaf decides. Nothing is saved.",
        body: PreviewApprovalRule,
        answer: ApprovalRulePreviewed,
      }),
    );
};
