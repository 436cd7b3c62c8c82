import { and, asc, count, desc, eq, getTableColumns, gt, lt, or, type SQL } from "drizzle-orm";
import type { MySqlColumn, MySqlTable } from "drizzle-orm/mysql-core";
import * as v from "valibot";
import { invalid } from "../../schema/errors.ts";
import { integer, isId, object } from "../../schema/values.ts";
import type { World } from "../../schema/world.ts";
import type { Call } from "./call.ts";
import { readCursor, writeCursor } from "./cursor.ts";

/** A whole number in a query string. */
export const wholeNumber = (minimum: number, maximum: number) =>
  v.pipe(
    v.string(),
    v.regex(/^\d{1,9}$/, "Must be a whole number."),
    v.transform(Number),
    integer(minimum, maximum),
  );

const deepestRow = 10_000;

/** The parameters of every list, with the fields it can be sorted by, the default first, and its own filters. */
export function listQuery<const Sort extends string, Filters extends v.ObjectEntries>(
  sorts: readonly [Sort, ...Sort[]],
  filters: Filters,
) {
  return object({
    limit: v.optional(
      v.pipe(wholeNumber(1, 100), v.description("Items on a page, 1 to 100; default 20.")),
      "20",
    ),
    cursor: v.optional(
      v.pipe(
        v.string(),
        v.description("`next_cursor` of the page before."),
        v.examples(["WyItY3JlYXRlZEF0Iiwi4oCmIl0"]),
      ),
    ),
    offset: v.optional(
      v.pipe(
        wholeNumber(0, deepestRow),
        v.description("Rows to skip, up to 10,000; beyond that use `cursor`."),
      ),
    ),
    page: v.optional(
      v.pipe(
        wholeNumber(1, deepestRow + 1),
        v.description("Instead of `offset`: pages of `limit` items, from 1, up to the row 10,000."),
      ),
    ),
    sort: v.optional(v.pipe(v.picklist(sorts), v.description("A leading minus sorts downwards.")), sorts[0]),
    ...filters,
  });
}

/** Where a page begins is told in one of three ways. */
export interface Listing {
  limit: number;
  sort: string;
  cursor?: string | undefined;
  offset?: number | undefined;
  page?: number | undefined;
}

interface Position {
  /** Of the last row before the page, in the column that is sorted by. */
  key: string | number | Date;
  id: string;
  /** Rows before the next page. */
  skipped: number;
}

/** What is listed: the table, the columns it can be sorted by, and which of its rows. */
interface Listed<T> {
  table: T;
  columns: Record<string, MySqlColumn>;
  where: (SQL | undefined)[];
}

/** One page of a table, found by key; sets what the answer says about it. */
export async function listPage<T extends MySqlTable & { id: MySqlColumn }>(
  world: World,
  call: Call,
  listed: Listed<T>,
  listing: Listing,
): Promise<T["$inferSelect"][]> {
  const [{ rows, skipped, next }, total] = await Promise.all([
    findRows(world, listed, listing),
    countRows(world, listed),
  ]);
  call.meta = pageOf(total, listing.limit, skipped, next);
  return rows;
}

/**
 * The rows of a page, how many come before it, and where the next one begins (null at the end). Ids rise with
 * time, so that rows of one moment have an order too and a walk by cursor meets each row once.
 */
export async function findRows<T extends MySqlTable & { id: MySqlColumn }>(
  { db }: World,
  { table, columns, where }: Listed<T>,
  listing: Listing,
): Promise<{ rows: T["$inferSelect"][]; skipped: number; next: unknown[] | null }> {
  const { limit, sort, cursor } = listing;
  const field = sort.replace("-", "");
  const column = columns[field] as MySqlColumn;
  const [direction, beyond] = sort.startsWith("-") ? ([desc, lt] as const) : ([asc, gt] as const);
  const before = rowsBefore(listing);
  const position = cursor === undefined ? null : positionOf(cursor, sort, column);
  const after = position
    ? or(beyond(column, position.key), and(eq(column, position.key), beyond(table.id, position.id)))
    : undefined;
  const skipped = position?.skipped ?? before;
  const order = [direction(column), direction(table.id)];
  // Only the keys, which an index holds: else the server may read each row that comes before the page.
  const found = db
    .select({ id: table.id })
    .from(table as MySqlTable)
    .where(and(...where, after))
    .orderBy(...order)
    .limit(limit + 1)
    .offset(position ? 0 : skipped)
    .as("found");
  const rows = (await db
    .select(getTableColumns(table as MySqlTable))
    .from(table as MySqlTable)
    .innerJoin(found, eq(found.id, table.id))
    .where(and(...where))
    .orderBy(...order)) as T["$inferSelect"][];
  const items = rows.slice(0, limit);
  const last = items.at(-1) as (Record<string, unknown> & { id: string }) | undefined;
  const more = rows.length > limit && last;
  return {
    rows: items,
    skipped,
    next: more ? [sort, keyText(last[column.name]), last.id, skipped + limit] : null,
  };
}

async function countRows({ db }: World, { table, where }: Listed<MySqlTable>): Promise<number> {
  const [counted] = await db
    .select({ total: count() })
    .from(table)
    .where(and(...where));
  return counted?.total ?? 0;
}

/** What an answer says of the page in it. `next` is what its cursor is made of; null at the end. */
export const pageOf = (total: number, limit: number, skipped: number, next: unknown[] | null) => ({
  total,
  page: Math.floor(skipped / limit) + 1,
  per_page: limit,
  has_more: next !== null,
  next_cursor: next && writeCursor(next),
});

/** Says of a list that it is all on one page. */
export function allOf<T>(call: Call, items: T[]): T[] {
  call.meta = pageOf(items.length, Math.max(items.length, 1), 0, null);
  return items;
}

/** The rows before the page that `offset` or `page` names; refuses more than one way at once. */
export function rowsBefore({ limit, cursor, offset, page }: Listing): number {
  const given = Object.entries({ cursor, offset, page }).filter(([, value]) => value !== undefined);
  const refuse = (name: string, message: string) => invalid([{ pointer: `query/${name}`, message }]);
  if (given.length > 1) throw refuse(given[1]?.[0] as string, `Can't be given beside ${given[0]?.[0]}.`);
  const skipped = page === undefined ? (offset ?? 0) : (page - 1) * limit;
  if (skipped > deepestRow) throw refuse("page", "Is beyond the row 10,000; use cursor.");
  return skipped;
}

const keyText = (value: unknown) => (value instanceof Date ? value.toISOString() : String(value));

/** Rows before a cursor. */
export const Skipped = integer(0, 1_000_000_000);
const Cursor = v.tuple([v.string(), v.string(), v.pipe(v.string(), v.check(isId)), Skipped]);

/** Keys are written as text; by the column's type they are read again. NaN for what the column can't hold. */
function readKey(column: MySqlColumn, text: string): Position["key"] {
  if (column.dataType === "date") return new Date(text);
  if (column.dataType === "number") return /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  const decimal = column.getSQLType().startsWith("decimal");
  return decimal && !/^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number.NaN : text;
}

const positionOf = (cursor: string, sort: string, column: MySqlColumn): Position =>
  readCursor(cursor, Cursor, ([cursorSort, value, id, skipped]) => {
    const key = readKey(column, value);
    return cursorSort === sort && !Number.isNaN(key.valueOf()) ? { key, id, skipped } : undefined;
  });
