import * as v from "valibot";
import { integer, object } from "../values.ts";

const count = v.pipe(integer(0, 10_000), v.examples([1]));

/** What an import has done, or would do: how many products of each kind. */
export const ImportReport = v.pipe(
  object({
    created: count,
    updated: count,
    unchanged: v.pipe(count, v.description("Rows that say what the product is already.")),
    dryRun: v.pipe(v.boolean(), v.description("Nothing was changed.")),
  }),
  v.title("ProductImport"),
);
export type ImportReport = v.InferOutput<typeof ImportReport>;
