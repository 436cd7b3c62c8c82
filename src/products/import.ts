import { changesOf, product } from "../../actors/products/product.ts";
import { type FieldError, ServiceError } from "../../schema/errors.ts";
import type { ImportReport } from "../../schema/products/import-report.ts";
import { CreateProduct, type ProductState, UpdateProduct } from "../../schema/products/product.ts";
import type { World } from "../../schema/world.ts";
import type { TextBody } from "../http/bodies.ts";
import type { Call } from "../http/call.ts";
import { checked, refuse } from "../http/checks.ts";
import { type Read, readRows } from "./import-rows.ts";
import { productsWithSkus } from "./products.queries.ts";

/** A row that was checked: what it makes of which product; of none, a new one. */
type Row = { known: ProductState; input: UpdateProduct } | { known: null; input: CreateProduct };

const attempts = 10;

/**
 * Creates or updates the product of each row, all of them or none. With `dryRun` it says what would happen. Throws
 * `validation_failed`, and `version_conflict` where it was overtaken time and again.
 */
export async function importProducts(
  world: World,
  call: Call,
  body: TextBody,
  dryRun: boolean,
): Promise<ImportReport> {
  const read = readRows(body);
  for (let attempt = 1; ; attempt++) {
    const { rows, faults } = checkRows(read, await productsWithSkus(world, read.map(skuOf)));
    const commands = dryRun || faults.length > 0 ? [] : rows.map(commandOf);
    try {
      return await call.sendAll(commands, (outcomes) => {
        // Not sooner: an import that is sent again is answered as the first time, whatever has become of its products.
        refuse(faults);
        return dryRun ? expected(rows) : report(outcomes);
      });
    } catch (error) {
      // Somebody has made or deleted one of them meanwhile: what is there now is looked up again.
      const overtaken = error instanceof ServiceError && ["already_exists", "not_found"].includes(error.code);
      if (!overtaken) throw error;
      if (attempt === attempts)
        throw new ServiceError("version_conflict", "Others keep making or deleting products of the file.");
    }
  }
}

const skuOf = ({ value }: Read): string => {
  const { sku } = (value ?? {}) as { sku?: unknown };
  return typeof sku === "string" ? sku : "";
};

/** What is needed of a row depends on whether its product is there. */
function checkRows(read: readonly Read[], known: ReadonlyMap<string, ProductState>) {
  const skus = new Set<string>();
  const faults: FieldError[] = [];
  const rows = read.map((row, i) => {
    const sku = skuOf(row);
    const product = known.get(sku) ?? null;
    const { output, faults: own } =
      row.message === undefined
        ? checked(product ? UpdateProduct : CreateProduct, row.value, `/${i}/`, row.large)
        : { output: undefined, faults: [{ pointer: `/${i}`, message: row.message }] };
    faults.push(...own);
    if (skus.has(sku)) faults.push({ pointer: `/${i}/sku`, message: "Is in the file already." });
    if (sku !== "") skus.add(sku);
    return { known: product, input: output } as Row;
  });
  return { rows, faults };
}

/** A product that is given another sku meanwhile keeps it: its row came before. */
const commandOf = ({ known, input }: Row) =>
  known
    ? { command: product.update, id: known.id, input: { ...input, sku: undefined } }
    : { command: product.create, input };

const report = (outcomes: readonly { state: unknown; before: unknown }[]): ImportReport => {
  const versions = outcomes as { state: ProductState; before: ProductState | null }[];
  const created = versions.filter(({ before }) => before === null).length;
  const unchanged = versions.filter(({ state, before }) => before?.version === state.version).length;
  return { created, updated: versions.length - created - unchanged, unchanged, dryRun: false };
};

const expected = (rows: readonly Row[]): ImportReport => {
  const created = rows.filter(({ known }) => known === null).length;
  const unchanged = rows.filter(
    ({ known, input }) => known && Object.keys(changesOf(known, input)).length === 0,
  ).length;
  return { created, updated: rows.length - created - unchanged, unchanged, dryRun: true };
};
