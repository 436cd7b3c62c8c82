import { json, mysqlTable } from "drizzle-orm/mysql-core";
import { id, instant, longText } from "../columns.ts";

/** The ES256 keys that sign access tokens; the private half is sealed. */
export const signingKeys = mysqlTable("signing_keys", {
  /** The `kid`. */
  id: id().primaryKey(),
  publicJwk: json().$type<Record<string, string>>().notNull(),
  sealedPrivateKey: longText().notNull(),
  createdAt: instant().notNull(),
});
