import { index, mysqlTable, uniqueIndex } from "drizzle-orm/mysql-core";
import * as v from "valibot";
import { exactText, hash, id, instant, label, recordColumns, word } from "../columns.ts";
import { Id, object, Timestamp, text, Version } from "../values.ts";

/** A credential that outlives users. The key itself is shown once and stored as its SHA-256. */
export const apiKeys = mysqlTable(
  "api_keys",
  {
    ...recordColumns,
    tenantId: id().notNull(),
    name: label({ length: 200 }).notNull(),
    kind: word<"tenant" | "service">().notNull(),
    keyHash: hash().notNull(),
    createdBy: exactText({ length: 64 }).notNull(),
    lastUsedAt: instant(),
  },
  (t) => [uniqueIndex("api_keys_hash").on(t.keyHash), index("api_keys_tenant").on(t.tenantId)],
);
export type ApiKeyState = typeof apiKeys.$inferSelect;

export const CreateApiKey = v.pipe(
  object({
    name: text(1, 200),
    kind: v.pipe(
      v.picklist(["tenant", "service"]),
      v.description("A `service` key needs ADMIN and is only exchanged for a service token."),
    ),
  }),
  v.title("ApiKeyCreate"),
);
export type CreateApiKey = v.InferOutput<typeof CreateApiKey>;

export const ApiKey = v.pipe(
  object({
    id: Id,
    tenantId: Id,
    name: v.string(),
    kind: v.picklist(["tenant", "service"]),
    createdBy: v.string(),
    lastUsedAt: v.nullable(Timestamp),
    key: v.optional(v.pipe(v.string(), v.description("Shown once, at creation."))),
    version: Version,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
  v.title("ApiKey"),
);
export type ApiKey = v.InferOutput<typeof ApiKey>;
