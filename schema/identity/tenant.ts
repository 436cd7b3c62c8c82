import { mysqlTable } from "drizzle-orm/mysql-core";
import { label, recordColumns } from "../columns.ts";

/** A customer company. Staff belong to the tenant `platform`. */
export const tenants = mysqlTable("tenants", {
  ...recordColumns,
  name: label({ length: 200 }).notNull(),
});
