import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type House, openHouse, type Person } from "../house.ts";
import { csv, csvOf, everything, importFile, inVain, linesOf, ndjson } from "./imports.ts";
import { newSku } from "./products.endpoints.ts";

let house: House;
let seller: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  seller = await house.staff("PRODUCT");
});
afterAll(() => house.close());

/** Few skus and few values, so that rows meet products, and each other, and say what is there already. */
const skus = Array.from({ length: 12 }, newSku);
const values = {
  name: ["Server", "Volume", ""],
  category: ["compute", "storage", "Compute"],
  monthlyPrice: [5, 24.9, 24.901],
  hourlyPrice: [0.000123, null],
  tier: ["basic", null, "gold"],
  features: [[], ["IPv6"], "IPv6"],
  specs: [{}, { vcpu: "4" }, { vcpu: 4 }],
  isPopular: [true, false],
};

type Row = Record<string, unknown>;
/** Good values are drawn more often than wrong ones, which come last. */
const fieldsOf = (wrong: boolean) =>
  Object.fromEntries(
    Object.entries(values).map(([field, [one, other, last]]) => [
      field,
      fc.constantFrom(...(last === undefined || !wrong ? [one, other] : [one, other, last])),
    ]),
  );
const rowOf = (wrong: boolean): fc.Arbitrary<Row> =>
  fc.record({ sku: fc.constantFrom(...skus), ...fieldsOf(wrong) }, { requiredKeys: ["sku"] });
const wholeRow = fc.record({ sku: fc.constantFrom(...skus), ...fieldsOf(false) });

/** Files of rows that say all of a product, of some that say less, and of some that are wrong. */
const rowsOfFile = fc.oneof(
  fc.uniqueArray(fc.oneof({ weight: 3, arbitrary: wholeRow }, rowOf(false)), {
    maxLength: 8,
    selector: ({ sku }) => sku,
  }),
  fc.array(fc.oneof({ weight: 4, arbitrary: wholeRow }, rowOf(true)), { maxLength: 6 }),
);

/** Some products go before each file, so that there are always new ones to make. */
const gone = fc.subarray(skus, { maxLength: 4 });

const columns = ["sku", ...Object.keys(values)];
const cellOf = (value: unknown) =>
  value === undefined || value === null
    ? ""
    : typeof value === "object"
      ? JSON.stringify(value)
      : String(value);
const files = {
  [ndjson]: (rows: Row[]) => linesOf(...rows),
  [csv]: (rows: Row[]) => csvOf(columns, ...rows.map((row) => columns.map((field) => cellOf(row[field])))),
};

const versions = async () =>
  new Map(
    (await house.rows("SELECT sku, version FROM products")).map(({ sku, version }) => [String(sku), version]),
  );

describe("POST /api/products/import?dryRun=true", () => {
  test("changes nothing and says what the import then does, to the last fault", async () => {
    const ends = new Set<number>();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(ndjson, csv), rowsOfFile, gone, async (type, rows, gone) => {
        await house.rows("DELETE FROM products WHERE sku IN (?)", [["", ...gone]]);
        const file = files[type](rows);
        const [before, old] = [await everything(house), await versions()];
        const dry = await inVain(house, seller, file, { type, query: "?dryRun=true" });
        const real = await importFile(seller, file, { type });
        ends.add(real.status);
        expect([dry.status, dry.body.errors]).toEqual([real.status, real.body.errors]);
        if (real.status !== 200) {
          expect(real.status).toBe(422);
          expect(await everything(house)).toEqual(before);
          return;
        }
        expect(dry.data).toEqual({ ...real.data, dryRun: true });
        const now = await versions();
        const of = (change: (sku: string) => boolean) =>
          rows.filter(({ sku }) => change(sku as string)).length;
        expect(real.data).toEqual({
          created: of((sku) => !old.has(sku)),
          updated: of((sku) => old.has(sku) && old.get(sku) !== now.get(sku)),
          unchanged: of((sku) => old.has(sku) && old.get(sku) === now.get(sku)),
          dryRun: false,
        });
        expect(now.size).toBe(old.size + real.data.created);
        expect((await importFile(seller, file, { type })).data.unchanged).toBe(rows.length);
      }),
      { numRuns: 60 },
    );
    expect([...ends].sort()).toEqual([200, 422]);
  });
});
