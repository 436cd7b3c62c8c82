import { index, mysqlTable, tinyint } from "drizzle-orm/mysql-core";
import * as v from "valibot";
import { document, exactText, id, instant, label, recordColumns, word } from "../columns.ts";
import { exampleId, ForeignId, Id, integer, lines, object, Timestamp, textLike, Version } from "../values.ts";
import type { ExpiryAction } from "./approval-rule.ts";

export const approvalStatuses = ["PENDING", "APPROVED", "REJECTED", "EXPIRED"] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];

/** What a person has said to a request. */
export interface ApprovalDecision {
  adminId: string;
  decision: "APPROVED" | "REJECTED";
  comment: string | null;
  /** ISO 8601. */
  at: string;
}

/** A request that waits for people, and what they said. It keeps what its rule asked for. */
export const approvals = mysqlTable(
  "approvals",
  {
    ...recordColumns,
    provisioningRequestId: id().notNull(),
    tenantId: exactText({ length: 64 }).notNull(),
    ruleId: id().notNull(),
    ruleName: label({ length: 200 }).notNull(),
    status: word<ApprovalStatus>().notNull(),
    minApprovals: tinyint().notNull(),
    decisions: document<ApprovalDecision[]>().notNull(),
    decidedAt: instant(),
    /** Null: it waits for ever. */
    expiresAt: instant(),
    onExpiry: word<ExpiryAction>().notNull(),
  },
  (t) => [
    index("approvals_request").on(t.provisioningRequestId, t.createdAt, t.id),
    index("approvals_status").on(t.status, t.createdAt, t.id, t.tenantId),
  ],
);
export type ApprovalState = typeof approvals.$inferSelect;

export const DecideApproval = v.pipe(
  object({
    adminId: v.pipe(
      ForeignId,
      v.description("Who decides: the caller's own id. A service names the person it acts for."),
      v.examples([exampleId]),
    ),
    comment: v.optional(lines(0, 2000)),
  }),
  v.title("ApprovalDecision"),
);

/** An approval as it is answered. */
export const Approval = v.pipe(
  object({
    id: Id,
    provisioningRequestId: Id,
    tenantId: textLike("tenant-1"),
    ruleId: v.pipe(Id, v.description("The rule that asked for it, which may be gone by now.")),
    ruleName: textLike("Expensive machines"),
    status: v.pipe(
      v.picklist(approvalStatuses),
      v.description(
        "`EXPIRED`: nobody decided in time, or the request was deleted first. What its rule wants on expiry has happened.",
      ),
    ),
    minApprovals: v.pipe(integer(1, 5), v.description("So many people must approve.")),
    decisions: v.array(
      object({
        adminId: textLike(exampleId),
        decision: v.picklist(["APPROVED", "REJECTED"]),
        comment: v.nullable(v.string()),
        at: Timestamp,
      }),
    ),
    requestedAt: Timestamp,
    decidedAt: v.nullable(Timestamp),
    expiresAt: v.pipe(v.nullable(Timestamp), v.description("Null: it waits for ever.")),
    version: Version,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
  v.title("Approval"),
);
export type Approval = v.InferOutput<typeof Approval>;
