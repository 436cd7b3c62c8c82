import { int, json, mysqlTable, primaryKey } from "drizzle-orm/mysql-core";
import * as v from "valibot";
import { exactText, id, instant, word } from "../columns.ts";
import { exampleId, Id, Timestamp, textLike } from "../values.ts";

/** One line for each state change of an audited record; append-only, written in the change's own commit. */
export const auditEntries = mysqlTable(
  "audit_entries",
  {
    recordId: id().notNull(),
    version: int({ unsigned: true }).notNull(),
    id: id().notNull(),
    at: instant().notNull(),
    actorId: exactText({ length: 64 }).notNull(),
    actorKind: word<"user" | "service" | "system">().notNull(),
    command: word().notNull(),
    from: word(),
    to: word(),
    step: word(),
    detail: json().$type<Record<string, unknown>>(),
    requestId: exactText({ length: 128 }).notNull(),
    correlationId: exactText({ length: 128 }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.recordId, t.version] })],
);

export const AuditEntry = v.pipe(
  v.strictObject({
    id: Id,
    at: Timestamp,
    actor: v.strictObject({ id: textLike(exampleId), kind: v.picklist(["user", "service", "system"]) }),
    command: v.pipe(v.string(), v.description("The command that was accepted."), v.examples(["start"])),
    from: v.pipe(
      v.nullable(v.string()),
      v.description("Status before; null at creation."),
      v.examples(["PENDING"]),
    ),
    to: v.pipe(v.nullable(v.string()), v.description("Status after."), v.examples(["PROVISIONING"])),
    step: v.pipe(v.nullable(v.string()), v.description("The step completed or failed.")),
    detail: v.nullable(v.record(v.string(), v.unknown())),
    requestId: v.pipe(
      textLike(exampleId),
      v.description("`meta.request_id` of the call, or the event's id."),
    ),
    correlationId: v.pipe(
      textLike(exampleId),
      v.description("Follows the work from the request that began it."),
    ),
    version: v.pipe(v.number(), v.integer(), v.description("The record's version after the change.")),
  }),
  v.title("AuditEntry"),
);
export type AuditEntry = v.InferOutput<typeof AuditEntry>;
