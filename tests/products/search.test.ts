import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { productSorts } from "../../src/products/filters.ts";
import { plain } from "../../src/products/words.ts";
import { type House, openHouse, type Person } from "../house.ts";
import { expectEnvelope } from "../http/answers.ts";
import { sampleProducts } from "./generator.ts";
import { idsOf, make, withApiKey } from "./products.ts";
import { search, untilFound } from "./shelf.ts";

let house: House;
let admin: Person;
let customer: Person;
/** Everything there is, of each status. */
let all: any[];
let onSale: any[];
beforeAll(async () => {
  house = await openHouse({ samples: false });
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
  const bounds = [0, 9.99, 10, 10.01, 999_999_999].map((monthlyPrice, i) => ({
    ...{ name: `Bound ${i}`, category: "bounds", monthlyPrice, status: "active", tier: null },
  }));
  const samples = sampleProducts(120).map(({ sku, ...sample }) => sample);
  all = await Promise.all([...samples, ...bounds].map((each) => make(admin, each)));
  onSale = all.filter(({ status }) => status === "active");
  await untilFound(admin, {}, all.length);
});
afterAll(() => house.close());

const totalOf = async (query: Record<string, string | number | boolean>, person = customer) =>
  (await search(person, query)).body.meta.total;

describe("GET /products/search", () => {
  test("answers products as they are, with the page and the facets", async () => {
    const answer = await search(customer, { q: "server frankfurt", limit: 5 });
    expect(answer.status).toBe(200);
    expectEnvelope(answer, { list: true, facets: true });
    expect(answer.data.length).toBeGreaterThan(0);
    for (const product of answer.data) {
      expect(product).toEqual(all.find(({ id }) => id === product.id));
      expect((await customer.call("GET", `/api/products/${product.id}`)).data).toEqual(product);
    }
  });

  test("finds everything on sale where nothing is asked, twenty at a time, the popular first", async () => {
    const answer = await search(customer);
    expect(answer.body.meta).toMatchObject({ total: onSale.length, page: 1, per_page: 20, has_more: true });
    const expected = onSale.toSorted(
      (a, b) =>
        Number(b.isPopular) - Number(a.isPopular) || a.sortOrder - b.sortOrder || (a.id < b.id ? -1 : 1),
    );
    expect(idsOf(answer)).toEqual(expected.slice(0, 20).map(({ id }) => id));
    expect(idsOf(await search(customer, { q: "  " }))).toEqual(idsOf(answer));
    expect(await totalOf({}, admin)).toBe(all.length);
  });

  const keys: Record<string, (product: any) => string | number> = {
    sortOrder: ({ sortOrder }) => sortOrder,
    name: ({ name }) => plain(name),
    monthlyPrice: ({ monthlyPrice }) => monthlyPrice,
    createdAt: ({ createdAt }) => createdAt,
  };
  for (const sort of productSorts)
    for (const q of ["", "server"])
      test(`sorts by ${sort}, ${q ? "what is found" : "all"}`, async () => {
        const { data } = await search(customer, { q, sort, limit: 100 });
        expect(data.length).toBeGreaterThan(5);
        const key = keys[sort.replace("-", "")]!;
        const down = sort.startsWith("-") ? -1 : 1;
        const sorted = data.toSorted((a: any, b: any) => {
          const [one, other] = [key(a), key(b)];
          return down * (one < other ? -1 : one > other ? 1 : a.id < b.id ? -1 : 1);
        });
        expect(idsOf({ data } as never)).toEqual(sorted.map(({ id }: any) => id));
      });
});

describe("the filters of a search", () => {
  const filter = fc.record(
    {
      category: fc.constantFrom("compute", "database", "bounds", "none"),
      status: fc.constantFrom("active", "draft", "paused"),
      tier: fc.constantFrom("basic", "premium"),
      currency: fc.constantFrom("USD", "EUR", "XAU"),
      minPrice: fc.constantFrom(0, 9.99, 10, 25.5, 100),
      maxPrice: fc.constantFrom(0, 9.99, 10, 50, 500),
      isPopular: fc.boolean(),
    },
    { requiredKeys: [] },
  );
  const fits = (product: any, { minPrice = 0, maxPrice = Infinity, ...exact }: Record<string, any>) =>
    product.monthlyPrice >= minPrice &&
    product.monthlyPrice <= maxPrice &&
    Object.entries(exact).every(([name, value]) => product[name] === value);

  for (const q of ["", "server", "servr", "server gold"])
    test(`let through what fits all of them, and never find more (${q || "all"})`, async () => {
      for (const [person, seen] of [
        [customer, onSale],
        [admin, all],
      ] as const) {
        const ids = new Set<string>();
        for (let page = 1; page <= 2; page++)
          for (const id of idsOf(await search(person, { q, limit: 100, page }))) ids.add(id);
        const found = seen.filter(({ id }) => ids.has(id));
        expect(found).toHaveLength(ids.size);
        for (const filters of fc.sample(filter, { numRuns: 15, seed: 1 })) {
          const expected = found.filter((product) => fits(product, filters));
          const answer = await search(person, { q, limit: 100, ...filters });
          expect(idsOf(answer).sort()).toEqual(expected.map(({ id }) => id).sort());
          expect(answer.body.meta.total).toBe(expected.length);
        }
      }
    });

  test("take both bounds of a price in", async () => {
    const bounds = { category: "bounds", sort: "monthlyPrice" };
    const prices = async (query: object) =>
      (await search(customer, { ...bounds, ...query })).data.map(({ monthlyPrice }: any) => monthlyPrice);
    expect(await prices({ minPrice: 10, maxPrice: 10 })).toEqual([10]);
    expect(await prices({ minPrice: "9.99", maxPrice: "10.01" })).toEqual([9.99, 10, 10.01]);
    expect(await prices({ minPrice: "9.990001", maxPrice: "10.009999" })).toEqual([10]);
    expect(await prices({ maxPrice: 0 })).toEqual([0]);
    expect(await prices({ minPrice: 999_999_999 })).toEqual([999_999_999]);
    expect(await prices({ minPrice: 20, maxPrice: 10 })).toEqual([]);
  });
});

describe("who searches", () => {
  test("finds what is active as a customer, everything as staff or a service", async () => {
    const service = await house.service(admin);
    const key = await withApiKey(house, customer, "products:read");
    for (const person of [admin, await house.staff("SALES"), service])
      for (const status of ["draft", "active", "paused", "archived"])
        expect(await totalOf({ status }, person)).toBe(all.filter((each) => each.status === status).length);
    for (const person of [customer, key]) {
      expect(await totalOf({}, person)).toBe(onSale.length);
      for (const status of ["draft", "paused", "archived"]) {
        const { data, body } = await search(person, { status });
        expect([data, body.meta.total]).toEqual([[], 0]);
        expect(body.meta.facets).toEqual({ category: [], tier: [], currency: [], price: [] });
      }
    }
  });

  test("needs a key that may read products", async () => {
    const key = await withApiKey(house, customer, "orders:read");
    for (const path of ["", "/suggest?q=a", "/categories"])
      expect((await key.call("GET", `/api/products/search${path}`)).status).toBe(403);
  });
});
