import { expect } from "bun:test";
import type { Answer, House, Person } from "../house.ts";
import { path } from "./products.ts";

/* Files of products as the tests need them. */

export const ndjson = "application/x-ndjson";
export const csv = "text/csv";

interface Sending {
  type?: string;
  /** With the question mark. */
  query?: string;
  headers?: Record<string, string>;
}

/** Sends a file to be imported; NDJSON unless told otherwise. */
export const importFile = (
  person: Person,
  file: string,
  { type = ndjson, query = "", headers }: Sending = {},
): Promise<Answer> =>
  person.call("POST", `${path}/import${query}`, file, { "Content-Type": type, ...headers });

/** A row a line. */
export const linesOf = (...rows: unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

/** The columns in the header, and a line of cells for each row. */
export const csvOf = (columns: readonly string[], ...rows: (readonly string[])[]): string =>
  [columns, ...rows].map((cells) => `${cells.map(quoted).join(",")}\r\n`).join("");

/** A cell as the strictest of readers wants it (RFC 4180). */
export const quoted = (cell: string): string => (cell === "" ? "" : `"${cell.replaceAll('"', '""')}"`);

/** Holds a report against what it should count. */
export function expectReport(answer: Answer, counts: Partial<Record<string, number | boolean>>): void {
  const nothing = { created: 0, updated: 0, unchanged: 0, dryRun: false };
  expect([answer.status, answer.data ?? answer.body]).toEqual([200, { ...nothing, ...counts }]);
}

/** All that an import could change: the products and their history. */
export async function everything({ rows }: House): Promise<unknown> {
  return {
    products: await rows("SELECT * FROM products ORDER BY id"),
    history: await rows("SELECT recordId, version FROM audit_entries ORDER BY recordId, version"),
  };
}

/** Sends a file that must leave everything as it was; the answer. */
export async function inVain(house: House, person: Person, file: string, sending?: Sending): Promise<Answer> {
  const before = await everything(house);
  const answer = await importFile(person, file, sending);
  expect(await everything(house)).toEqual(before);
  return answer;
}

/** The product with this sku; undefined where there is none. */
export async function withSku({ rows }: House, person: Person, sku: string): Promise<any> {
  const [found] = await rows("SELECT id FROM products WHERE sku = ?", [sku]);
  return found && (await person.call("GET", `${path}/${found.id}`)).data;
}

/** The products as a file; throws where they are not given. */
export async function exported({ program }: House, { token }: Person, format: "jsonl" | "csv") {
  const response = await fetch(`${program.url}${path}/export?format=${format}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  if (response.status !== 200) throw new Error(await response.text());
  return response.text();
}

/** The rows of an exported NDJSON file. */
export const rowsOf = (file: string): any[] =>
  file
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
