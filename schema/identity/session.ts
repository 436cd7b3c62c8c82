import { index, mysqlTable, uniqueIndex } from "drizzle-orm/mysql-core";
import * as v from "valibot";
import { hash, id, instant, recordColumns } from "../columns.ts";
import { object, text } from "../values.ts";

/** One sign-in: the family of refresh tokens that follow from it. Only the latest token is good. */
export const sessions = mysqlTable(
  "sessions",
  {
    ...recordColumns,
    userId: id().notNull(),
    /** SHA-256 of the latest token's secret. */
    tokenHash: hash().notNull(),
    /** Of the latest token. */
    expiresAt: instant().notNull(),
    /** By signing out, by a token that came twice, or because the user was disabled. */
    endedAt: instant(),
  },
  (t) => [
    uniqueIndex("sessions_token").on(t.tokenHash),
    index("sessions_user").on(t.userId),
    index("sessions_expiry").on(t.expiresAt),
  ],
);
export type SessionState = typeof sessions.$inferSelect;

export const RefreshToken = v.pipe(
  object({
    refreshToken: v.pipe(
      text(1, 1024),
      v.examples(["rt_p3Vn8Q…"]),
      v.description("From the last sign-in or refresh."),
    ),
  }),
  v.title("RefreshToken"),
);
export type RefreshToken = v.InferOutput<typeof RefreshToken>;

export const Revoked = v.pipe(object({ revoked: v.literal(true) }), v.title("Revoked"));
