import { getTableColumns, getTableName } from "drizzle-orm";
import type { MySqlTable } from "drizzle-orm/mysql-core";
import mysql from "mysql2";

const { escapeId } = mysql;
/** A value as SQL text. */
export const literal = mysql.escape;
type SqlValue = Parameters<typeof literal>[0];

/*
 * SQL for many rows at once. drizzle declares the tables and reads and writes their values; only the text of
 * the statements is made here, since building a thousand parameters one by one takes longer than the commit.
 */

export type Row = Record<string, unknown>;

interface Columns {
  names: string[];
  list: string;
  encode: ((value: unknown) => SqlValue)[];
  decode: [name: string, decode: (value: unknown) => unknown][];
}

const known = new WeakMap<MySqlTable, Columns>();

function columnsOf(table: MySqlTable): Columns {
  const columns = known.get(table) ?? describe(table);
  known.set(table, columns);
  return columns;
}

function describe(table: MySqlTable): Columns {
  const all = Object.entries(getTableColumns(table));
  return {
    names: all.map(([name]) => name),
    list: all.map(([name]) => escapeId(name)).join(","),
    encode: all.map(
      ([, column]) =>
        (value) =>
          column.mapToDriverValue(value) as SqlValue,
    ),
    decode: all
      .filter(([, column]) => column.getSQLType() !== "json")
      .map(([name, column]) => [name, (value) => column.mapFromDriverValue(value)]),
  };
}

const nameOf = (table: MySqlTable) => escapeId(getTableName(table));

function valuesOf(table: MySqlTable, rows: readonly Row[]): string {
  const { names, encode } = columnsOf(table);
  return rows
    .map((row) => {
      const cells = names.map((name, i) => {
        const value = row[name];
        return value === null || value === undefined ? "DEFAULT" : literal(encode[i]?.(value) ?? null);
      });
      return `(${cells.join(",")})`;
    })
    .join(",");
}

const listOf = (ids: readonly string[]) =>
  [...ids]
    .sort()
    .map((id) => literal(id))
    .join(",");

/** Locks the rows of these ids, or all (null), in the order of the ids, and reads them. */
export function selectForUpdate(table: MySqlTable, ids: readonly string[] | null): string {
  const wanted = ids ? ` WHERE id IN (${listOf(ids)})` : "";
  return `SELECT ${columnsOf(table).list} FROM ${nameOf(table)}${wanted} ORDER BY id FOR UPDATE`;
}

/** Deletes the rows of these ids. */
export function remove(table: MySqlTable, ids: readonly string[]): string {
  return `DELETE FROM ${nameOf(table)} WHERE id IN (${listOf(ids)})`;
}

/** New rows; fails as a whole on a duplicate key. A missing value takes the column's default. */
export function insert(table: MySqlTable, rows: readonly Row[]): string {
  return `INSERT INTO ${nameOf(table)} (${columnsOf(table).list}) VALUES ${valuesOf(table, rows)}`;
}

/** Rows that exist, written over in one statement; `assignments` says what happens to a row that is there. */
export function upsert(table: MySqlTable, rows: readonly Row[], assignments?: string): string {
  const set =
    assignments ??
    columnsOf(table)
      .names.filter((name) => name !== "id")
      .map((name) => `${escapeId(name)}=VALUES(${escapeId(name)})`)
      .join(",");
  return `${insert(table, rows)} ON DUPLICATE KEY UPDATE ${set}`;
}

/** A row as the driver gives it (dates as text), with the types of the table. Changes and returns it. */
export function decode(table: MySqlTable, row: Row): Row {
  for (const [name, decodeValue] of columnsOf(table).decode) {
    if (row[name] !== null) row[name] = decodeValue(row[name]);
  }
  return row;
}
