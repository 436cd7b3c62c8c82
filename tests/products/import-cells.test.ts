import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { expectInvalid } from "../http/answers.ts";
import { csv, csvOf, expectReport, importFile, inVain } from "./imports.ts";
import { get, make } from "./products.ts";

let house: House;
let seller: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  seller = await house.staff("PRODUCT");
});
afterAll(() => house.close());

/** Values that no default and no other row of the tables has, so that each cell changes something. */
const start = {
  ...{ description: "start", specs: { start: "start" }, hourlyPrice: 77, unitPrice: 77, currency: "CHF" },
  ...{ annualDiscount: 77, features: ["start"], sortOrder: 77, ctaText: "start", ctaAction: "start" },
};

const asTheyAre = (...texts: string[]) => texts.map((text): [string, string] => [text, text]);

/** What a cell of a column is read as. */
const good: [field: string, ...cells: [cell: string, value: unknown][]][] = [
  ["monthlyPrice", ["24.95", 24.95], ["24.10", 24.1], ["0", 0], ["007.50", 7.5], ["999999999.00", 999999999]],
  ["hourlyPrice", ["0.000123", 0.000123], ["0.000001", 0.000001], ["999999998.123456", 999999998.123456]],
  ["unitPrice", ["0.01", 0.01]],
  ["annualDiscount", ["12.25", 12.25], ["100", 100], ["0.0", 0]],
  ["sortOrder", ["-5", -5], ["1000000000", 1e9], ["3.0", 3], ["-0", 0]],
  ["isPopular", ["true", true], ["FALSE", false], ["True", true], ["false", false]],
  ["specs", ['{"a":"1","b":""}', { a: "1", b: "" }], ["{}", {}], [' {"x" : "y,\\""}\n', { x: 'y,"' }]],
  ["features", ['["a","b"]', ["a", "b"]], ["[]", []], [' [ "\\u00fc" ] ', ["ü"]]],
  ["status", ["active", "active"], ["archived", "archived"]],
  ["tier", ["basic", "basic"]],
  ["currency", ["EUR", "EUR"]],
  ["category", ["007", "007"], ["null", "null"], ["true", "true"]],
  [
    "name",
    ...asTheyAre("NULL", "null", "true", "007", "1e3", "=1+1", "@x", "-1", "+1", " both ends ", "\u00a0"),
  ],
  [
    "name",
    ...asTheyAre("'", '"', '""', "a,b", "a;b", 'say "so"', '","', "\\", "\\n", "#x", "{}", "[]", "a\u2028b"),
  ],
  ["name", ...asTheyAre("日本語 👩‍🚀", "\ufeff", "x".repeat(200))],
  [
    "description",
    ...asTheyAre("two\nlines", "two\r\nlines", "two\rlines", '"\r\n"', "\n", "\r\n\r\n", "a\n\n\nb"),
  ],
  ["description", ...asTheyAre("\t", ",\n,", " ", "x".repeat(10_000), "\r".repeat(10_000))],
];

/** What no product takes, and where it is refused. */
const bad: [field: string, ...cells: (string | [cell: string, below: string])[]][] = [
  [
    "monthlyPrice",
    ...[
      "24.901",
      "24.9000000000000001",
      "1234567890123456",
      "0.00000000000000001",
      "1000000000",
      "-1",
      "1e3",
    ],
    ...[
      "+1",
      " 1",
      "1 ",
      "1,5",
      "1.",
      ".5",
      "0x10",
      "NaN",
      "Infinity",
      "null",
      "true",
      "$5",
      "１２",
      "−1",
      "1 000",
    ],
  ],
  ["hourlyPrice", "0.0000001", "0.1234567", "null", "-0.1"],
  ["annualDiscount", "100.01", "5%", "0.001"],
  ["sortOrder", "1.5", "1000000001", "first"],
  ["isPopular", "1", "0", "yes", "t", " true", '"true"'],
  ["specs", "a", "{a:1}", "null", "5", "[]", '["a"]', '"a"', ['{"a":1}', "/a"], ['{"a":null,"b":""}', "/a"]],
  [
    "features",
    "a,b",
    "{}",
    '{"0":"a"}',
    "null",
    '"a"',
    ["[1]", "/0"],
    ['["a",""]', "/1"],
    ['["a",null]', "/1"],
  ],
  ["status", "Active", "active ", "null"],
  ["tier", "gold", "null", "BASIC"],
  ["currency", "usd", "€"],
  ["category", "Compute", "a b"],
  ["name", "two\nlines", "tab\t", "\u0007", "x".repeat(201)],
  ["description", "\0", "\u001b[31m"],
];

describe("a cell of CSV", () => {
  for (const [field, ...cells] of good)
    test(`of ${field} is read as it is meant: ${JSON.stringify(cells[0]?.[0])} and the like`, async () => {
      const products = await Promise.all(cells.map(() => make(seller, { ...start, tier: "enterprise" })));
      const file = csvOf(["sku", field], ...cells.map(([cell], i) => [products[i].sku, cell]));
      const answer = await importFile(seller, file, { type: csv });
      const now = await Promise.all(products.map(async ({ id }) => (await get(seller, id)).data));
      expect(now.map((product) => product[field])).toEqual(cells.map(([, value]) => value));
      const same = products.filter((product, i) => Bun.deepEquals(product[field], cells[i]![1])).length;
      expectReport(answer, { updated: cells.length - same, unchanged: same });
    });

  for (const [field, ...cells] of bad)
    test(`of ${field} that can't be is refused where it stands`, async () => {
      const products = await Promise.all(cells.map(() => make(seller)));
      const texts = cells.map((cell) => (typeof cell === "string" ? cell : cell[0]));
      const file = csvOf(["sku", field], ...texts.map((cell, i) => [products[i].sku, cell]));
      const places = cells.map((cell, i) => `/${i}/${field}${typeof cell === "string" ? "" : cell[1]}`);
      expectInvalid(await inVain(house, seller, file, { type: csv }), ...places);
    });
});
