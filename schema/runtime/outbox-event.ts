import { bigint, index, mysqlTable } from "drizzle-orm/mysql-core";
import { exactText, id, instant, longText } from "../columns.ts";

/** Events committed together with the change they tell of. The relay numbers and publishes them. */
export const outboxEvents = mysqlTable(
  "outbox_events",
  {
    id: bigint({ mode: "number", unsigned: true }).primaryKey().autoincrement(),
    /** The place in the one order of all topics, from 1; 0 until the relay has given it, since a row that grows must move. */
    seq: bigint({ mode: "number", unsigned: true }).notNull().default(0),
    eventId: id().notNull(),
    /** The stream's full name. */
    topic: exactText({ length: 100 }).notNull(),
    correlationId: exactText({ length: 128 }).notNull(),
    createdAt: instant().notNull(),
    /** The envelope as JSON text, exactly as published. */
    envelope: longText().notNull(),
  },
  (t) => [
    // Not unique: MariaDB would sort the whole backlog to find its oldest. One relay at a time gives the numbers.
    index("outbox_events_seq").on(t.seq),
    index("outbox_events_correlation").on(t.correlationId),
    index("outbox_events_created").on(t.createdAt),
  ],
);

/** Numbers the bus must not forget: `stamped` (last seq given) and `group:<name>` (all up to it handled). */
export const busMarks = mysqlTable("bus_marks", {
  name: exactText({ length: 100 }).primaryKey(),
  seq: bigint({ mode: "number", unsigned: true }).notNull(),
});
