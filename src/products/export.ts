import Papa from "papaparse";
import { type Product, productFields } from "../../schema/products/product.ts";
import type { World } from "../../schema/world.ts";
import { productsAfter } from "./products.queries.ts";

const rowsAtOnce = 500;

const formats = {
  jsonl: {
    mediaType: "application/x-ndjson",
    head: "",
    write: (rows: Product[]) =>
      rows
        .map(
          (row) =>
            `${JSON.stringify(Object.fromEntries(productFields.map((field) => [field, row[field]])))}\n`,
        )
        .join(""),
  },
  csv: {
    mediaType: "text/csv; charset=utf-8; header=present",
    head: `${productFields.join(",")}\r\n`,
    write: (rows: Product[]) =>
      `${Papa.unparse(
        rows.map((row) => productFields.map((field) => cellOf(row[field]))),
        { newline: "\r\n" },
      )}\r\n`,
  },
} as const;
export type ExportFormat = keyof typeof formats;

/** Maps and lists are JSON in their cell. */
const cellOf = (value: unknown) =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : value;

/** All products as a file that the import takes back; sent as it is read, a page of rows at a time. */
export function exportProducts(world: World, format: ExportFormat): Response {
  const { mediaType, head, write } = formats[format];
  async function* parts() {
    yield head;
    for (let rows = await productsAfter(world, null, rowsAtOnce); rows.length > 0; ) {
      yield write(rows);
      rows = await productsAfter(world, rows.at(-1)?.id ?? null, rowsAtOnce);
    }
  }
  const text = new TextEncoder();
  const pending = parts();
  const body = new ReadableStream<Uint8Array>({
    async pull(stream) {
      const { value, done } = await pending.next();
      if (done) stream.close();
      else stream.enqueue(text.encode(value));
    },
    cancel: () => void pending.return(),
  });
  const headers = {
    "Content-Type": mediaType,
    "Content-Disposition": `attachment; filename="products.${format}"`,
    "Cache-Control": "no-store",
  };
  return new Response(body, { headers });
}
