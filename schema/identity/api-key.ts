import { index, json, mysqlTable, uniqueIndex } from "drizzle-orm/mysql-core";
import * as v from "valibot";
import { exactText, hash, id, instant, label, recordColumns, word } from "../columns.ts";
import { type Scope, scopes } from "../permissions.ts";
import { Id, isTime, object, Timestamp, text, textLike, Version } from "../values.ts";

/** A credential that outlives users. The key itself is shown once and stored as its SHA-256. */
export const apiKeys = mysqlTable(
  "api_keys",
  {
    ...recordColumns,
    tenantId: id().notNull(),
    name: label({ length: 200 }).notNull(),
    kind: word<"tenant" | "service">().notNull(),
    keyHash: hash().notNull(),
    /** None, or null: everything that its tenant's users may. */
    scopes: json().$type<Scope[]>(),
    expiresAt: instant(),
    createdBy: exactText({ length: 64 }).notNull(),
    lastUsedAt: instant(),
  },
  (t) => [uniqueIndex("api_keys_hash").on(t.keyHash), index("api_keys_tenant").on(t.tenantId)],
);
export type ApiKeyState = typeof apiKeys.$inferSelect;

/** A moment that a client names. */
const Moment = v.pipe(
  v.string("Must be text."),
  v.isoTimestamp("Must be an ISO 8601 time."),
  v.check(isTime, "Must be an ISO 8601 time."),
  v.examples(["2099-12-31T00:00:00.000Z"]),
);

export const CreateApiKey = v.pipe(
  object({
    name: v.pipe(text(1, 200), v.examples(["build server"])),
    kind: v.pipe(
      v.picklist(["tenant", "service"]),
      v.description("A `service` key needs ADMIN and is only exchanged for a service token."),
    ),
    scopes: v.optional(
      v.pipe(
        v.array(v.picklist(scopes, "Is not a known scope.")),
        v.maxLength(scopes.length, `Must be ${scopes.length} or fewer.`),
        v.description(
          "What a `tenant` key reaches; none: all that the tenant's users do. `write` does not bring `read` along. A key with scopes makes, lists and deletes no keys.",
        ),
        v.examples([["provisioning:read", "provisioning:write"]]),
      ),
    ),
    expiresAt: v.optional(
      v.pipe(Moment, v.description("When the key ends; absent: it does not. Lies in the future.")),
    ),
  }),
  v.title("ApiKeyCreate"),
);
export type CreateApiKey = v.InferOutput<typeof CreateApiKey>;

export const ApiKey = v.pipe(
  object({
    id: Id,
    tenantId: Id,
    name: textLike("build server"),
    kind: v.picklist(["tenant", "service"]),
    scopes: v.pipe(v.array(v.picklist(scopes)), v.description("Empty: everything.")),
    expiresAt: v.nullable(Timestamp),
    createdBy: Id,
    lastUsedAt: v.pipe(v.nullable(Timestamp), v.description("To the minute.")),
    key: v.optional(v.pipe(textLike("lf_5ZrXk0v…"), v.description("Shown once, at creation."))),
    version: Version,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
  v.title("ApiKey"),
);
export type ApiKey = v.InferOutput<typeof ApiKey>;
