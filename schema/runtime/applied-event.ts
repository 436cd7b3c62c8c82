import { index, mysqlTable, primaryKey } from "drizzle-orm/mysql-core";
import { exactText, id, instant } from "../columns.ts";

/** Which group has handled which event; written in the commit of its effects, so that a repeat does nothing. */
export const appliedEvents = mysqlTable(
  "applied_events",
  {
    eventId: id().notNull(),
    group: exactText({ length: 60 }).notNull(),
    at: instant().notNull(),
  },
  (t) => [primaryKey({ columns: [t.eventId, t.group] }), index("applied_events_at").on(t.at)],
);
