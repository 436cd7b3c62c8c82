import Papa from "papaparse";
import { invalid } from "../../schema/errors.ts";
import { type ProductField, productFields } from "../../schema/products/product.ts";
import { parseJson, type TextBody } from "../http/bodies.ts";
import { escapeKey, refuse } from "../http/checks.ts";

/* The rows of a file of products: NDJSON, or CSV (RFC 4180) with a header line. */

const maxRows = 10_000;

/** Characters of a row that is large: one fault of it is enough. */
const largeRow = 65_536;

/** A row as it was read, not yet checked, or why it can't be. */
export type Read =
  | { value: unknown; large: boolean; message?: undefined }
  | { value?: undefined; message: string };

/** Reads the rows; throws `validation_failed` where there are too many, or columns that no product has. */
export const readRows = ({ mediaType, text }: TextBody): Read[] =>
  mediaType === "text/csv" ? readCsv(text) : readLines(text);

function refuseMoreThan(most: number, rows: readonly unknown[]): void {
  if (rows.length > most) throw invalid([{ pointer: `/${most}`, message: `There may be ${most} rows.` }]);
}

function readLines(text: string): Read[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  refuseMoreThan(maxRows, lines);
  return lines.map((line) => {
    try {
      return { value: parseJson(line), large: line.length > largeRow };
    } catch {
      return { message: "Is not valid JSON." };
    }
  });
}

function readCsv(text: string): Read[] {
  const { data, errors } = Papa.parse<string[]>(sameBreaks(text), { delimiter: ",", newline: "\n" });
  // What follows a stray quote can't be told apart any more.
  const stray = errors[0]?.row ?? data.length;
  const misquoted = data[stray];
  const blank = (cells: string[]) => cells !== misquoted && cells.length === 1 && cells[0]?.trim() === "";
  const [header = [], ...lines] = data.slice(0, stray + 1).filter((cells) => !blank(cells));
  refuseMoreThan(maxRows, lines);
  checkHeader(header, header === misquoted);
  return lines.map((cells) => {
    if (cells === misquoted) return { message: misquotedRow };
    if (cells.length > header.length) return { message: "Has more cells than the header." };
    const given = cells.map((cell, at) => [header[at] as ProductField, cell] as const);
    const filled = given.filter(([, cell]) => cell !== "");
    const value = Object.fromEntries(filled.map(([name, cell]) => [name, readCell(name, cell)]));
    return { value, large: filled.reduce((sum, [, cell]) => sum + cell.length, 0) > largeRow };
  });
}

const misquotedRow = "Has a quote where none may be.";

/** Line breaks outside of quotes may be of every kind, also in one file. */
const sameBreaks = (text: string) =>
  text.replace(/(?<![^",\r\n])"[^"]*"|\r\n?/g, (found) => (found.startsWith('"') ? found : "\n"));

function checkHeader(names: readonly string[], misquoted: boolean): void {
  if (misquoted) refuse([{ pointer: "/0", message: misquotedRow }]);
  refuse(
    names.flatMap((name, i) => {
      const known = productFields.includes(name as ProductField);
      const message = known ? "Must be given once." : "Is not a known field.";
      return known && names.indexOf(name) === i ? [] : [{ pointer: `/0/${escapeKey(name)}`, message }];
    }),
  );
}

/** What a cell stands for; what it can't is left as text, for the check of the row to refuse. */
function readCell(field: ProductField, cell: string): unknown {
  return (cells[field] ?? asText)(cell);
}

const asText = (cell: string): unknown => cell;

/** More digits than a number keeps would be rounded. */
const asNumber = (cell: string): unknown =>
  /^-?\d+(\.\d+)?$/.test(cell) && cell.replace(/\D/g, "").length <= 15 ? Number(cell) : cell;

const asFlag = (cell: string): unknown => {
  const word = cell.toLowerCase();
  return word === "true" || (word === "false" ? false : cell);
};

const asJson = (cell: string): unknown => {
  try {
    return parseJson(cell);
  } catch {
    return cell;
  }
};

const cells: Partial<Record<ProductField, (cell: string) => unknown>> = {
  specs: asJson,
  features: asJson,
  monthlyPrice: asNumber,
  hourlyPrice: asNumber,
  unitPrice: asNumber,
  annualDiscount: asNumber,
  isPopular: asFlag,
  sortOrder: asNumber,
};
