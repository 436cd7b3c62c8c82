import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { expectInvalid } from "../http/answers.ts";
import { expectReport, importFile, inVain, linesOf, withSku } from "./imports.ts";
import { newSku } from "./products.endpoints.ts";
import { newProduct } from "./products.ts";

let house: House;
let seller: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  seller = await house.staff("PRODUCT");
});
afterAll(() => house.close());

const bySku = (sku: string) => withSku(house, seller, sku);

describe("a line of NDJSON", () => {
  const sku = newSku();
  const odd: [what: string, line: string, pointers: string[]][] = [
    ["not JSON", "{", ["/1"]],
    ["two values", `{"sku":"${sku}"} {}`, ["/1"]],
    ["not an object, but a list", "[]", ["/1"]],
    ["a list with an object", `[{"sku":"${sku}"}]`, ["/1"]],
    ["a number", "5", ["/1"]],
    ["a text", '"sku"', ["/1"]],
    ["null", "null", ["/1"]],
    ["nested too deep", `{"sku":"${sku}","specs":${"[".repeat(70)}${"]".repeat(70)}}`, ["/1"]],
    ["with a number without end", `{"sku":"${sku}","monthlyPrice":1e999}`, ["/1"]],
    ["with half a character", `{"sku":"${sku}","name":"\\ud800"}`, ["/1"]],
    ["with names that every object has", '{"__proto__":{},"toString":1}', ["/1/__proto__", "/1/toString"]],
    ["with a sku that is a list", `{"sku":["${sku}"]}`, ["/1/sku"]],
    ["with a member twice, of which the last counts", `{"sku":"${sku}","sku":5}`, ["/1/sku"]],
  ];
  for (const [what, line, pointers] of odd)
    test(`${what} is refused where it stands`, async () => {
      const answer = await inVain(house, seller, `${JSON.stringify(newProduct())}\n${line}\n`);
      expect(answer.status).toBe(422);
      const places: string[] = answer.body.errors.map(({ pointer }: any) => pointer);
      const required = ["/1/sku", "/1/name", "/1/category", "/1/monthlyPrice"];
      const told = places.filter((place) => pointers.includes(place) || !required.includes(place));
      expect(told.sort()).toEqual(pointers.sort());
      expect(JSON.stringify(answer.body)).not.toContain(sku);
    });

  for (const [what, file] of [
    ["LF", (lines: string[]) => lines.join("\n")],
    ["CRLF", (lines: string[]) => `${lines.join("\r\n")}\r\n`],
    ["both", (lines: string[]) => `${lines.join("\r\n")}\n`],
    ["a byte-order mark", (lines: string[]) => `\ufeff${lines.join("\n")}`],
    ["blanks around it", (lines: string[]) => lines.map((line) => ` \t${line} \n\n`).join("")],
  ] as const)
    test(`ends or begins with ${what}`, async () => {
      const rows = [newProduct({ name: "a\u2028b" }), newProduct({ description: "a\r\nb\n" })];
      const answer = await importFile(seller, file(rows.map((row) => JSON.stringify(row))));
      expectReport(answer, { created: 2 });
      for (const row of rows) expect(await bySku(row.sku)).toMatchObject(row);
    });

  const tooFine = [24.901, 1e-7, 0.1 + 0.2, 1_000_000_000, 999_999_999.001, -0.01];
  test("has no price that would have to be rounded", async () => {
    const rows = tooFine.map((monthlyPrice) => newProduct({ monthlyPrice }));
    expectInvalid(
      await inVain(house, seller, linesOf(...rows)),
      ...tooFine.map((_, i) => `/${i}/monthlyPrice`),
    );
  });

  test("has prices that are kept to the last digit", async () => {
    const prices = {
      monthlyPrice: 999999999,
      hourlyPrice: 999999998.123456,
      unitPrice: 0.01,
      annualDiscount: 33.33,
    };
    const row = newProduct(prices);
    expectReport(await importFile(seller, linesOf(row)), { created: 1 });
    expect(await bySku(row.sku)).toMatchObject(prices);
  });
});

describe("a file without rows", () => {
  for (const [what, file] of [
    ["blank lines", "\n \r\n\n"],
    ["a byte-order mark", "\ufeff"],
  ] as const)
    test(`of ${what} does nothing`, async () => {
      expectReport(await inVain(house, seller, file), {});
    });

  test("and without a byte is missing", async () => {
    expectInvalid(await inVain(house, seller, ""), "");
  });
});
