import { Elysia } from "elysia";
import * as v from "valibot";
import { ImportReport } from "../../schema/products/import-report.ts";
import { object } from "../../schema/values.ts";
import { endpoint } from "../http/endpoint.ts";
import { idiom } from "../http/idiom.ts";
import type { Landfall } from "../landfall.ts";
import { type ExportFormat, exportProducts } from "./export.ts";
import { importProducts } from "./import.ts";

const examples = {
  "application/x-ndjson":
    '{"sku":"VM-STD-4","name":"Standard VM 4","category":"compute","monthlyPrice":24.9}\n',
  "text/csv": "sku,name,category,monthlyPrice\r\nVM-STD-4,Standard VM 4,compute,24.9\r\n",
};

const TextBody = v.object({ mediaType: v.string(), text: v.string() });

const ImportQuery = object({
  dryRun: v.optional(
    v.pipe(
      v.picklist(["true", "false"]),
      v.description("`true`: says what would happen, and changes nothing."),
    ),
    "false",
  ),
});

const ExportQuery = object({
  format: v.optional(
    v.pipe(
      v.picklist(["jsonl", "csv"]),
      v.description("`jsonl`: NDJSON, a product a line; `csv`: RFC 4180."),
    ),
    "jsonl",
  ),
});

const common = { tag: "Products", may: "products.write" } as const;

export const transferRoutes = (landfall: Landfall) => {
  const { world } = landfall;
  return new Elysia({ prefix: "/products" })
    .use(idiom(landfall))
    .post(
      "/import",
      ({ call, body, query }) => importProducts(world, call, body, query.dryRun === "true"),
      endpoint({
        id: "importProducts",
        ...common,
        summary: "Import products",
        description:
          "Up to 10,000 rows, each created or updated by its sku: all of them or none. Rows count from 0; a fault points at `/<row>/<field>`. NDJSON has a product a line, as in a create or an update. CSV has a header line with the names of the fields; an empty cell is the default of a new product and leaves another as it is; `specs` and `features` are JSON.",
        takes: examples,
        body: TextBody,
        query: ImportQuery,
        answer: ImportReport,
        errors: ["version_conflict"],
      }),
    )
    .get(
      "/export",
      ({ query }) => exportProducts(world, query.format as ExportFormat),
      endpoint({
        id: "exportProducts",
        ...common,
        summary: "Export all products",
        description: "A file that the import takes back. It is sent while it is read.",
        query: ExportQuery,
        answer: v.string(),
        gives: examples,
      }),
    );
};
