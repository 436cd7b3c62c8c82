import { index, mysqlTable, smallint } from "drizzle-orm/mysql-core";
import { hash, instant, longText } from "../columns.ts";

/** The answer given to an `Idempotency-Key`, kept for 24 hours; refusals are not stored. */
export const idempotentAnswers = mysqlTable(
  "idempotent_answers",
  {
    /** SHA-256 of caller, method, path and key. */
    id: hash().primaryKey(),
    /** MAC of query and body: another request under the same key is refused. */
    fingerprint: hash().notNull(),
    status: smallint().notNull(),
    /** The answer's data as JSON, sealed, since answers may hold secrets. */
    sealedAnswer: longText().notNull(),
    createdAt: instant().notNull(),
  },
  (t) => [index("idempotent_answers_created").on(t.createdAt)],
);
