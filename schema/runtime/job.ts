import { bigint, index, int, json, mysqlTable, uniqueIndex } from "drizzle-orm/mysql-core";
import { exactText, instant, longText, word } from "../columns.ts";

/** Work that happens later or outside. One row for a kind and key; ordering it again moves `revision` on. */
export const jobs = mysqlTable(
  "jobs",
  {
    id: bigint({ mode: "number", unsigned: true }).primaryKey().autoincrement(),
    kind: word().notNull(),
    key: exactText({ length: 64 }).notNull(),
    payload: json().$type<Record<string, unknown>>(),
    dueAt: instant().notNull(),
    /** Failed tries since the job was ordered. */
    attempt: int({ unsigned: true }).notNull().default(0),
    revision: int({ unsigned: true }).notNull().default(1),
    leaseOwner: word(),
    leaseUntil: instant(),
    error: longText(),
    requestId: exactText({ length: 128 }).notNull(),
    correlationId: exactText({ length: 128 }).notNull(),
  },
  (t) => [
    uniqueIndex("jobs_kind_key").on(t.kind, t.key),
    index("jobs_due").on(t.dueAt),
    index("jobs_owner").on(t.leaseOwner),
  ],
);
