import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type House, openHouse, type Person } from "../house.ts";
import { sampleProducts } from "./generator.ts";
import {
  csv,
  everything,
  expectReport,
  exported,
  importFile,
  inVain,
  linesOf,
  ndjson,
  rowsOf,
} from "./imports.ts";
import { newSku } from "./products.endpoints.ts";

/* What is exported comes back as it was: into the same catalogue, and into an empty one of another Landfall. */

let house: House;
let empty: House;
let seller: Person;
let other: Person;
beforeAll(async () => {
  [house, empty] = await Promise.all([openHouse({ samples: false }), openHouse({ samples: false })]);
  [seller, other] = await Promise.all([house.admin(), empty.admin()]);
});
afterAll(async () => {
  await Promise.all([house.close(), empty.close()]);
});

const clear = () => Promise.all([house, empty].map(({ rows }) => rows("DELETE FROM products")));
const formats = [
  ["jsonl", ndjson],
  ["csv", csv],
] as const;

/** Takes the products of the one to the other and back, in both formats. */
async function travels(count: number): Promise<void> {
  const products = rowsOf(await exported(house, seller, "jsonl"));
  expect(products).toHaveLength(count);
  for (const [format, type] of formats) {
    const file = await exported(house, seller, format);
    expectReport(await inVain(house, seller, file, { type }), { unchanged: count });
    await empty.rows("DELETE FROM products");
    expectReport(await importFile(other, file, { type }), { created: count });
    const arrived = rowsOf(await exported(empty, other, "jsonl"));
    expect(arrived).toEqual(products);
    expect(await exported(empty, other, format)).toBe(file);
    expectReport(await inVain(empty, other, await exported(house, seller, "csv"), { type: csv }), {
      unchanged: count,
    });
  }
}

/** Texts that readers of CSV and spreadsheets get wrong. */
const odd = [
  ...["NULL", "null", "true", "FALSE", "0", "007", "1e3", "-1", "+1", "=1+1", "@SUM(A1)", "-", "'", "#"],
  ...['"', '""', '"""', "a,b", ",", ",,", "a;b", ";", "\\", "\\n", '\\"', "{}", "[]", '{"a":1}', "undefined"],
  ...[
    " ",
    "  both ends  ",
    "\u00a0",
    "\ufeff",
    "\u2028",
    "\u202e",
    "日本語",
    "👩‍🚀",
    "e\u0301",
    "Zürich",
    "NaN",
    "%s",
  ],
];
const oddLines = [
  "\n",
  "\r\n",
  "\r",
  "a\nb",
  "a\r\nb",
  '"\n"',
  ",\n,",
  "\n\n",
  "a\n\n\nb",
  "\t",
  '",\r\n"',
  "\r\n\r\n",
];
const control = /\p{Cc}/u;
const lineOf = (least: number, most: number) =>
  fc
    .oneof(
      fc.constantFrom(...odd),
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.constantFrom(...odd) }),
    )
    .map((text) => [...text].slice(0, most).join(""))
    .filter((text) => text.length >= least && !control.test(text));
const linesText = fc
  .array(fc.oneof(fc.constantFrom(...oddLines), lineOf(0, 20)), { minLength: 1 })
  .map((parts) => parts.join(""))
  .filter((text) => text !== "");
const missing = <T>(text: fc.Arbitrary<T>) => fc.option(text, { freq: 3 });
/** Decimals as a client writes them: the shortest number that has these digits. */
const decimal = (decimals: number, most: number) =>
  fc
    .oneof(fc.constantFrom(0, 1, most * 10 ** decimals), fc.nat(10 ** decimals), fc.maxSafeNat())
    .map((units) => (units % (most * 10 ** decimals + 1)) / 10 ** decimals);

const product = fc.record({
  name: lineOf(1, 200),
  description: missing(linesText),
  category: fc.constantFrom("compute", "null", "true", "007", "1e3", "a-b"),
  status: fc.constantFrom("draft", "active", "paused", "archived"),
  specs: fc.dictionary(lineOf(1, 20), lineOf(0, 20), { maxKeys: 4 }),
  monthlyPrice: decimal(2, 999_999_999),
  hourlyPrice: missing(decimal(6, 999_999_999)),
  unitPrice: missing(decimal(2, 999_999_999)),
  currency: fc.constantFrom("USD", "EUR", "JPY"),
  annualDiscount: decimal(2, 100),
  tier: missing(fc.constantFrom("basic", "enterprise")),
  features: fc.array(lineOf(1, 20), { maxLength: 4 }),
  isPopular: fc.boolean(),
  sortOrder: fc.integer({ min: -1e9, max: 1e9 }),
  ctaText: missing(lineOf(1, 20)),
  ctaAction: missing(linesText),
});
/** Names that no map may have. */
const reserved = new Set(["__proto__", "prototype", "constructor"]);
const products = fc
  .array(product, { minLength: 1, maxLength: 25 })
  .filter((list) => list.every(({ specs }) => Object.keys(specs).every((name) => !reserved.has(name))));

describe("an exported file", () => {
  test("comes back unchanged, whatever the texts and numbers", async () => {
    await fc.assert(
      fc.asyncProperty(products, async (list) => {
        await clear();
        const rows = list.map((each) => ({ sku: newSku(), ...each }));
        expectReport(await importFile(seller, linesOf(...rows)), { created: rows.length });
        expect(rowsOf(await exported(house, seller, "jsonl"))).toEqual(rows);
        await travels(rows.length);
      }),
      { numRuns: 12 },
    );
  });

  test("comes back unchanged, of a whole catalogue in several pages", async () => {
    await clear();
    const rows = sampleProducts(600, 7);
    expectReport(await importFile(seller, linesOf(...rows)), { created: 600 });
    await travels(600);
  });

  test("has every odd text that there is", async () => {
    await clear();
    const rows = [...odd, ...oddLines].map((text, i) => ({
      sku: newSku(),
      name: control.test(text) ? "Server" : text,
      description: text,
      category: "odd",
      monthlyPrice: i,
      ...(control.test(text) ? {} : { specs: { [text]: text }, features: [text, text], ctaText: text }),
      ctaAction: text,
    }));
    expectReport(await importFile(seller, linesOf(...rows)), { created: rows.length });
    expect(rowsOf(await exported(house, seller, "jsonl"))).toMatchObject(rows);
    await travels(rows.length);
  });

  test("is sent back by hand: a cell that was changed is the one change", async () => {
    await clear();
    const rows = sampleProducts(20, 3);
    await importFile(seller, linesOf(...rows));
    const file = await exported(house, seller, "csv");
    const { name = "" } = rows[7] ?? {};
    const before = (await everything(house)) as { history: unknown[] };
    const answer = await importFile(seller, file.replace(name, '"Renamed, by hand"'), { type: csv });
    expectReport(answer, { updated: 1, unchanged: 19 });
    const after = (await everything(house)) as { history: unknown[] };
    expect(after.history.length).toBe(before.history.length + 1);
    const now = rowsOf(await exported(house, seller, "jsonl"));
    expect(now.map((row) => row.name)).toEqual(
      rows.map((row, i) => (i === 7 ? "Renamed, by hand" : row.name)),
    );
  });
});
