import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type House, openHouse, type Person } from "../house.ts";
import { expectInvalid } from "../http/answers.ts";
import { get, historyOf, idsOf, make, newCategory, newProduct, path } from "./products.ts";

let house: House;
let seller: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  seller = await house.staff("PRODUCT");
});
afterAll(() => house.close());

/** How many decimals each has, and the largest. */
const moneys = {
  monthlyPrice: { decimals: 2, largest: 999_999_999.99 },
  hourlyPrice: { decimals: 6, largest: 999_999_999.999999 },
  unitPrice: { decimals: 2, largest: 999_999_999.99 },
  annualDiscount: { decimals: 2, largest: 100 },
} as const;
type Money = keyof typeof moneys;
const fields = Object.keys(moneys) as Money[];

const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength, maxLength });
/** A whole part below the largest: small ones and large ones alike. */
const whole = (largest: number) => {
  const most = Math.ceil(largest) - 1;
  return fc
    .integer({ min: 1, max: String(most).length })
    .chain((length) => fc.nat(Math.min(most, 10 ** length - 1)));
};

/** A price as it may be written: with at most its decimals, or the largest of all. */
const priceOf = (field: Money) => {
  const { decimals, largest } = moneys[field];
  const parts = fc.tuple(whole(largest), digits(0, decimals));
  const written = parts.map(([units, fraction]) => (fraction ? `${units}.${fraction}` : `${units}`));
  return fc.oneof({ weight: 20, arbitrary: written }, { weight: 1, arbitrary: fc.constant(`${largest}`) });
};
const prices = fc.record(
  Object.fromEntries(fields.map((field) => [field, priceOf(field)])) as Record<Money, fc.Arbitrary<string>>,
);

/** One that is finer than its decimals, of no more digits than a JSON number tells apart. */
const finer = fc.constantFrom(...fields).chain((field) => {
  const { decimals, largest } = moneys[field];
  const fraction = fc.tuple(digits(decimals, decimals), digits(0, 2), fc.integer({ min: 1, max: 9 }));
  return fc
    .tuple(whole(Math.min(largest, 10 ** (12 - decimals))), fraction)
    .map(([units, parts]) => ({ field, text: `${units}.${parts.join("")}` }));
});

/** A body of JSON with numbers as they are written here. */
const written = (body: object, numbers: Partial<Record<string, string>>) => {
  const members = Object.entries(body).map(([name, value]) => [name, JSON.stringify(value)]);
  const all = Object.entries({ ...Object.fromEntries(members), ...numbers });
  return `{${all.map(([name, text]) => `"${name}":${text}`).join(",")}}`;
};
const numbersIn = (texts: Record<string, string>) =>
  Object.fromEntries(Object.entries(texts).map(([field, text]) => [field, Number(text)]));
/** The text as the database has it: with all its decimals. */
const exactly = (texts: Record<Money, string>) =>
  Object.fromEntries(
    fields.map((field) => {
      const [units, fraction = ""] = texts[field].split(".");
      return [field, `${units}.${fraction.padEnd(moneys[field].decimals, "0")}`];
    }),
  );
const stored = async (id: string) => {
  const columns = fields.map((field) => `CAST(${field} AS CHAR) AS ${field}`);
  return (await house.rows(`SELECT ${columns} FROM products WHERE id = ?`, [id]))[0];
};

describe("a price", () => {
  test("of at most its decimals comes back as the same number, wherever it is read", async () => {
    await fc.assert(
      fc.asyncProperty(prices, prices, async (first, second) => {
        const category = newCategory();
        const made = await seller.call("POST", path, written(newProduct({ category }), first));
        expect([made.status, made.data]).toEqual([201, { ...made.data, ...numbersIn(first) }]);
        const { id } = made.data;
        expect(await stored(id)).toEqual(exactly(first));
        const changed = await seller.call("PUT", `${path}/${id}`, written({}, second));
        expect(changed.data).toEqual({ ...changed.data, ...numbersIn(second) });
        expect(await stored(id)).toEqual(exactly(second));
        expect((await get(seller, id)).data).toEqual(changed.data);
        expect((await seller.call("GET", `${path}?category=${category}`)).data).toEqual([changed.data]);
        const [now, then] = [numbersIn(second), numbersIn(first)] as Record<string, number>[];
        const different = fields.filter((field) => now![field] !== then![field]);
        const { data } = await historyOf(seller, id);
        expect(data.at(-1).changes).toMatchObject(
          Object.fromEntries(fields.map((field) => [field, { from: null, to: then![field] }])),
        );
        if (different.length > 0)
          expect(data[0].changes).toEqual(
            Object.fromEntries(different.map((field) => [field, { from: then![field], to: now![field] }])),
          );
      }),
      { numRuns: 40 },
    );
  });

  test("finer than that is refused, to make and to change, and never rounded", async () => {
    const kept = await make(seller, { hourlyPrice: 0.000123 });
    await fc.assert(
      fc.asyncProperty(finer, async ({ field, text }) => {
        for (const [method, to] of [
          ["POST", path],
          ["PUT", `${path}/${kept.id}`],
        ] as const)
          expectInvalid(await seller.call(method, to, written(newProduct(), { [field]: text })), `/${field}`);
      }),
      { numRuns: 100 },
    );
    expect((await get(seller, kept.id)).data).toEqual(kept);
  });

  /** In other words, the same number. */
  const spellings: [text: string, value: number][] = [
    ["0.000123", 0.000123],
    ["1.23e-4", 0.000123],
    ["123E-6", 0.000123],
    ["0.00012300000", 0.000123],
    ["0.000001", 0.000001],
    ["1e-6", 0.000001],
    ["999999999", 999999999],
    ["9.99999999e8", 999999999],
    ["999999999.999999", 999999999.999999],
    ["0.1", 0.1],
    ["0", 0],
    ["-0", 0],
    ["0e5", 0],
  ];
  for (const [text, value] of spellings)
    test(`of ${text} an hour is ${value}`, async () => {
      const { status, data } = await seller.call("POST", path, written(newProduct(), { hourlyPrice: text }));
      expect([status, data.hourlyPrice]).toEqual([201, value]);
      const answer = await get(seller, data.id);
      expect([answer.data.hourlyPrice, Object.is(answer.data.hourlyPrice, -0)]).toEqual([value, false]);
      const again = await seller.call("PUT", `${path}/${data.id}`, written({}, { hourlyPrice: text }));
      expect(again.data.version).toBe(1);
    });

  test.each([
    ["monthlyPrice", "1000000000"],
    ["monthlyPrice", "999999999.001"],
    ["hourlyPrice", "1000000000"],
    ["hourlyPrice", "999999999.9999999"],
    ["unitPrice", "1e9"],
    ["unitPrice", "1e308"],
    ["hourlyPrice", "1e-7"],
    ["hourlyPrice", "5e-324"],
    ["hourlyPrice", "-0.000001"],
    ["monthlyPrice", "-1"],
    ["monthlyPrice", "0.30000000000000004"],
    ["monthlyPrice", "1.005"],
    ["annualDiscount", "100.01"],
    ["annualDiscount", "99.999"],
    ["monthlyPrice", '"24.90"'],
    ["monthlyPrice", "[1]"],
    ["monthlyPrice", "true"],
  ])("as %s of %s is refused", async (field, text) => {
    expectInvalid(await seller.call("POST", path, written(newProduct(), { [field]: text })), `/${field}`);
  });
});

describe("minPrice and maxPrice", () => {
  const found = async (category: string, query: string) =>
    idsOf(await seller.call("GET", `${path}?category=${category}&sort=monthlyPrice&${query}`));

  test("include the price itself, to the cent", async () => {
    const category = newCategory();
    const prices = [9.99, 10, 10.01];
    const made = await Promise.all(prices.map((monthlyPrice) => make(seller, { category, monthlyPrice })));
    const [below, ten, above] = made.map(({ id }) => id);
    for (const [query, expected] of [
      ["minPrice=10", [ten, above]],
      ["minPrice=10.00", [ten, above]],
      ["minPrice=010", [ten, above]],
      ["maxPrice=10", [below, ten]],
      ["minPrice=10&maxPrice=10", [ten]],
      ["minPrice=9.99&maxPrice=10.01", [below, ten, above]],
      ["minPrice=9.990001&maxPrice=10.009999", [ten]],
      ["minPrice=10.01&maxPrice=9.99", []],
      ["minPrice=10.010001", []],
      ["maxPrice=9.989999", []],
    ] as const)
      expect([query, await found(category, query)]).toEqual([query, [...expected] as string[]]);
  });

  test("part any two neighbouring prices", async () => {
    const cents = fc.oneof(fc.nat(10_000), fc.integer({ min: 1, max: 99_999_999_998 }));
    const priced = (cents: number) => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
    await fc.assert(
      fc.asyncProperty(cents, async (lower) => {
        const category = newCategory();
        const texts = [priced(lower), priced(lower + 1)] as const;
        const ids: string[] = [];
        for (const text of texts) {
          const body = written(newProduct({ category }), { monthlyPrice: text });
          ids.push((await seller.call("POST", path, body)).data.id);
        }
        expect(await found(category, `maxPrice=${texts[0]}`)).toEqual([ids[0]!]);
        expect(await found(category, `minPrice=${texts[1]}`)).toEqual([ids[1]!]);
        expect(await found(category, `minPrice=${texts[0]}&maxPrice=${texts[1]}`)).toEqual(ids);
        const [first] = [await seller.call("GET", `${path}?category=${category}&sort=monthlyPrice&limit=1`)];
        expect(await found(category, `limit=1&cursor=${first.body.meta.next_cursor}`)).toEqual([ids[1]!]);
      }),
      { numRuns: 40 },
    );
  });
});
