import { and, eq, type SQL, sql } from "drizzle-orm";
import type { MySqlColumn, MySqlTable } from "drizzle-orm/mysql-core";
import { notFound } from "../../schema/errors.ts";
import type { TenantScope } from "../../schema/permissions.ts";
import { auditEntries } from "../../schema/runtime/audit-entry.ts";
import { isId } from "../../schema/values.ts";
import type { World } from "../../schema/world.ts";

/** Holds a column to a value, where there is one to hold it to: a filter that was asked for, a tenant that bounds the caller. */
export function only(column: MySqlColumn, value: string | boolean | null | undefined): SQL | undefined {
  if (value === null || value === undefined) return undefined;
  const fits = !column.getSQLType().startsWith("char(36)") || isId(String(value));
  return fits ? eq(column, value) : sql`false`;
}

/** The audit of a record, for a list by version. */
export const auditOfRecord = (id: string) => ({
  table: auditEntries,
  columns: { version: auditEntries.version },
  where: [only(auditEntries.recordId, id)],
});

/**
 * The record with this id; throws `not_found` when there is none in the scope, which bounds the tables that have
 * tenants. `what` is its name for people.
 */
export async function findRecord<T extends MySqlTable & { id: MySqlColumn; tenantId?: MySqlColumn }>(
  { db }: World,
  table: T,
  scope: TenantScope,
  id: string,
  what: string,
): Promise<T["$inferSelect"]> {
  const [found] = await db
    .select()
    .from(table as MySqlTable)
    .where(and(only(table.id, id), table.tenantId && only(table.tenantId, scope)));
  if (!found) throw notFound(what);
  return found as T["$inferSelect"];
}
