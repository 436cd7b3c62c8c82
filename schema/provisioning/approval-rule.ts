import { index, mysqlTable, smallint } from "drizzle-orm/mysql-core";
import { document, exactText, label, longText, recordColumns, word } from "../columns.ts";

export const ruleStatuses = ["ACTIVE", "INACTIVE"] as const;
export type ApprovalRuleStatus = (typeof ruleStatuses)[number];

/** What becomes of a request when nobody decides in time. */
export const expiryActions = ["APPROVE", "REJECT"] as const;
export type ExpiryAction = (typeof expiryActions)[number];

export const operators = [
  "eq",
  "neq",
  "gt",
  "gte",
  "lt",
  "lte",
  "in",
  "nin",
  "startsWith",
  "endsWith",
  "contains",
  "exists",
] as const;
export type ConditionOperator = (typeof operators)[number];

/** One comparison. */
export interface ApprovalLeaf {
  field: string;
  operator: ConditionOperator;
  value: unknown;
}
export type ConditionNode =
  | ApprovalLeaf
  | { all: ConditionNode[] }
  | { any: ConditionNode[] }
  | { not: ConditionNode };

/** How many must approve, and by when; beside the root node of a condition. */
export interface ApprovalTerms {
  /** 1 to 5; absent: 1. */
  minApprovals?: number;
  /** More than 0; absent: it waits for ever. */
  expiresInHours?: number;
  /** Absent: `REJECT`. */
  onExpiry?: ExpiryAction;
}
export type ApprovalCondition = ConditionNode & { approval?: ApprovalTerms };

/** Which new requests wait for people. */
export const approvalRules = mysqlTable(
  "approval_rules",
  {
    ...recordColumns,
    name: label({ length: 200 }).notNull(),
    description: longText(),
    condition: document<ApprovalCondition>().notNull(),
    /** Null: it is for the requests of every tenant. */
    tenantId: exactText({ length: 64 }),
    /** 0 to 1000, the higher first. */
    priority: smallint().notNull(),
    status: word<ApprovalRuleStatus>().notNull(),
  },
  (t) => [
    index("approval_rules_status").on(t.status, t.tenantId),
    index("approval_rules_created").on(t.createdAt, t.id),
    index("approval_rules_priority").on(t.priority, t.id),
  ],
);
export type ApprovalRuleState = typeof approvalRules.$inferSelect;
