import { index, int, mysqlTable } from "drizzle-orm/mysql-core";
import { exactText, id, instant, longText, recordColumns, word } from "../columns.ts";

/** A message that still failed after its last retry, kept until someone replays or discards it. */
export const deadLetters = mysqlTable(
  "dead_letters",
  {
    ...recordColumns,
    topic: exactText({ length: 100 }).notNull(),
    group: exactText({ length: 60 }).notNull(),
    eventId: id().notNull(),
    eventType: exactText({ length: 100 }).notNull(),
    envelope: longText().notNull(),
    attempts: int().notNull(),
    firstFailedAt: instant().notNull(),
    lastFailedAt: instant().notNull(),
    error: longText().notNull(),
    status: word<"DEAD" | "REPLAYED" | "DISCARDED">().notNull(),
  },
  (t) => [index("dead_letters_status").on(t.status, t.createdAt)],
);
