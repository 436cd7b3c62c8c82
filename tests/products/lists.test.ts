import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type House, openHouse, type Person } from "../house.ts";
import { expectEnvelope, expectInvalid } from "../http/answers.ts";
import { idsOf, make, path, withApiKey } from "./products.ts";

let house: House;
/** Everything on the shelf, in the order in which it was made. */
let shelf: any[];
let admin: Person;
let customer: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
  shelf = await Promise.all(Array.from({ length: 60 }, (_, i) => make(admin, nthProduct(i))));
  shelf.sort((a, b) => (a.id < b.id ? -1 : 1));
});
afterAll(() => house.close());

const values = {
  category: ["compute", "gpu", "block-storage"],
  status: ["draft", "active", "active", "paused", "active", "archived", "active"],
  tier: ["basic", "standard", null, "premium", "enterprise"],
  currency: ["USD", "EUR", "USD", "JPY"],
  isPopular: [false, true, false],
  monthlyPrice: [24.9, 0, 10, 9.99, 10.01, 999999999, 10],
  sortOrder: [3, 0, -1e9, 3, 1e9, -2, 0, 11],
  name: ["Alfa", "zulu", "álfa", "Beta", "ALFA", "10 Server", "beta ", "9 Server", "Ökonom", "ozean"],
};
/** Each field goes round by itself, so that all kinds of pairs and ties are there. */
const nthProduct = (i: number) =>
  Object.fromEntries(
    Object.entries(values).map(([field, list], n) => [field, list[(i + n * ((i / 7) | 0)) % list.length]]),
  );

const list = (person: Person, query: string) => person.call("GET", `${path}?${query}`);

/** What a product is sorted by; ties go by id. People take letters of any case, and accents, for the same. */
const keys: Record<string, (product: any) => string | number> = {
  sortOrder: ({ sortOrder }) => sortOrder,
  name: ({ name }) => name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().trimEnd(),
  monthlyPrice: ({ monthlyPrice }) => monthlyPrice,
  createdAt: ({ createdAt }) => createdAt,
};
const sorts = Object.keys(keys).flatMap((field) => [field, `-${field}`]);

function sorted(products: any[], sort: string): any[] {
  const key = keys[sort.replace("-", "")]!;
  const upwards = products.toSorted((a, b) => {
    const [one, other] = [key(a), key(b)];
    if (one === other) return a.id < b.id ? -1 : 1;
    return one < other ? -1 : 1;
  });
  return sort.startsWith("-") ? upwards.reverse() : upwards;
}

/** Whether a product is one that a query asks for. */
const matches = (query: Record<string, string>) => (product: any) =>
  Object.entries(query).every(([name, value]) => {
    if (name === "minPrice") return product.monthlyPrice >= Number(value);
    if (name === "maxPrice") return product.monthlyPrice <= Number(value);
    return String(product[name]) === value;
  });
const isActive = matches({ status: "active" });

/** All pages of a query, one after the other. */
async function walk(person: Person, query: string): Promise<any[]> {
  const answers = [await list(person, query)];
  for (let next = answers[0]?.body.meta.next_cursor; next; next = answers.at(-1)?.body.meta.next_cursor)
    answers.push(await list(person, `${query}&cursor=${next}`));
  return answers;
}

describe("GET /api/products", () => {
  test("answers twenty at a time by sortOrder, whole products", async () => {
    const answer = await list(admin, "");
    expectEnvelope(answer, { list: true });
    expect(answer.body.meta).toMatchObject({ total: 60, page: 1, per_page: 20, has_more: true });
    expect(answer.data).toEqual(sorted(shelf, "sortOrder").slice(0, 20));
    expect((await list(admin, "sort=sortOrder")).data).toEqual(answer.data);
  });

  for (const sort of sorts)
    test(`sorts by ${sort}, what is alike by id, and walks so by cursor, offset and page`, async () => {
      const expected = sorted(shelf, sort);
      expect((await list(admin, `sort=${sort}&limit=100`)).data).toEqual(expected);
      const pages = await walk(admin, `sort=${sort}&limit=3`);
      expect(pages.flatMap(idsOf)).toEqual(expected.map(({ id }) => id));
      expect(pages.map(({ body }) => body.meta.page)).toEqual(pages.map((_, i) => i + 1));
      for (const [where, start] of [
        ["offset=7", 7],
        ["page=3", 10],
        ["offset=58", 58],
        ["page=13", 60],
        ["offset=10000", 10_000],
      ] as const) {
        const { data, body } = await list(admin, `sort=${sort}&limit=5&${where}`);
        expect(data).toEqual(expected.slice(start, start + 5));
        const page = Math.floor(start / 5) + 1;
        expect(body.meta).toMatchObject({ total: 60, page, has_more: start + 5 < 60 });
      }
    });

  const filters: Record<string, string[]> = {
    category: [...values.category, "none", "Compute", "comput", "%", "ü'"],
    status: ["draft", "active", "paused", "archived"],
    tier: ["basic", "standard", "premium", "enterprise"],
    currency: ["USD", "EUR", "JPY", "CHF"],
    minPrice: ["0", "0.01", "9.99", "10", "10.000001", "10.01", "25", "999999999", "999999999.999999"],
    maxPrice: ["0", "0.00", "9.989999", "9.99", "10", "10.00", "10.009999", "24.9", "999999999"],
    isPopular: ["true", "false"],
  };

  for (const [name, words] of Object.entries(filters))
    test(`filters by ${name} alone`, async () => {
      for (const word of words) {
        const expected = shelf.filter(matches({ [name]: word }));
        const answer = await list(admin, `limit=100&${new URLSearchParams({ [name]: word })}`);
        expect([word, answer.data]).toEqual([word, sorted(expected, "sortOrder")]);
        expect(answer.body.meta.total).toBe(expected.length);
      }
    });

  test("filters by all of them together, in any sort and page size, for staff and customers", async () => {
    const some = Object.entries(filters).map(([name, words]) =>
      fc.constantFrom(...words.map((word) => [name, word])),
    );
    const asked = fc
      .subarray(some)
      .chain((each) => fc.tuple(...each))
      .map((each): Record<string, string> => Object.fromEntries(each));
    const any = fc.tuple(asked, fc.constantFrom(...sorts), fc.integer({ min: 3, max: 40 }), fc.boolean());
    await fc.assert(
      fc.asyncProperty(any, async ([query, sort, limit, staff]) => {
        const seen = staff ? shelf : shelf.filter(isActive);
        const expected = sorted(seen.filter(matches(query)), sort);
        const pages = await walk(
          staff ? admin : customer,
          `${new URLSearchParams({ ...query, sort, limit: String(limit) })}`,
        );
        expect(pages.flatMap(({ data }) => data)).toEqual(expected);
        for (const { body } of pages) expect(body.meta.total).toBe(expected.length);
      }),
      { numRuns: 80 },
    );
  });

  test("shows customers, and every API key, what is active alone; staff and services see all", async () => {
    const own = [
      customer,
      await withApiKey(house, customer),
      await withApiKey(house, admin, "products:read"),
    ];
    const active = sorted(shelf.filter(isActive), "sortOrder");
    for (const person of own) {
      for (const query of ["limit=100", "limit=100&status=active"]) {
        const { data, body } = await list(person, query);
        expect([data, body.meta.total]).toEqual([active, active.length]);
      }
      expect((await walk(person, "limit=4")).flatMap(idsOf)).toEqual(active.map(({ id }) => id));
      for (const status of ["draft", "paused", "archived"]) {
        const { data, body } = await list(person, `status=${status}`);
        expect([data, body.meta]).toEqual([[], { ...body.meta, total: 0, has_more: false }]);
      }
    }
    for (const person of [admin, await house.staff("SALES"), await house.service(admin)])
      expect((await list(person, "limit=1")).body.meta.total).toBe(60);
  });

  test("shows a customer with a cursor of staff's only what is active behind it", async () => {
    const all = sorted(shelf, "name");
    const { next_cursor } = (await list(admin, "sort=name&limit=9")).body.meta;
    const { data } = await list(customer, `sort=name&limit=100&cursor=${next_cursor}`);
    expect(data).toEqual(all.slice(9).filter(isActive));
  });

  const wrong: [query: string, ...pointers: string[]][] = [
    ["category=", "query/category"],
    [`category=${"x".repeat(65)}`, "query/category"],
    ["status=Active", "query/status"],
    ["status=active,draft", "query/status"],
    ["status=active&status=draft", "query/status"],
    ["tier=gold", "query/tier"],
    ["tier=null", "query/tier"],
    ["currency=usd", "query/currency"],
    ["currency=EURO", "query/currency"],
    ...["-1", "1e3", "ten", "", "1.", ".5", "1,5", " 1", "1.0000001", "1000000000", "Infinity"].map(
      (price): [string, string] => [`minPrice=${price}`, "query/minPrice"],
    ),
    ["maxPrice=1.0000001&minPrice=x", "query/maxPrice", "query/minPrice"],
    ["isPopular=1", "query/isPopular"],
    ["isPopular=TRUE", "query/isPopular"],
    ["sort=relevance", "query/sort"],
    ["sort=price", "query/sort"],
    ["sort=--name", "query/sort"],
    ["sort=+name", "query/sort"],
    ["sort=name,createdAt", "query/sort"],
    ["sort=", "query/sort"],
    ["q=vm", "query/q"],
    ["sku=T-1", "query/sku"],
    ["tenantId=x", "query/tenantId"],
    ["page=2&offset=5", "query/page"],
    ["limit=100&page=102", "query/page"],
  ];
  for (const [query, ...pointers] of wrong)
    test(`refuses ?${query.slice(0, 60)}`, async () => {
      for (const person of [admin, customer]) expectInvalid(await list(person, query), ...pointers);
    });
});
