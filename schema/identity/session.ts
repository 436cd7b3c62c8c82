import { index, mysqlTable, uniqueIndex } from "drizzle-orm/mysql-core";
import { hash, id, instant, recordColumns } from "../columns.ts";

/** One sign-in: the family of refresh tokens that follow from it. Only the latest token's hash is valid. */
export const sessions = mysqlTable(
  "sessions",
  {
    ...recordColumns,
    userId: id().notNull(),
    /** SHA-256 of the token that is valid now. */
    tokenHash: hash().notNull(),
    expiresAt: instant().notNull(),
    endedAt: instant(),
  },
  (t) => [uniqueIndex("sessions_token").on(t.tokenHash), index("sessions_user").on(t.userId)],
);
