import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Product } from "../../schema/products/product.ts";
import { type House, openHouse, type Person } from "../house.ts";
import { expectInvalid } from "../http/answers.ts";
import { idsOf, make, put, remove } from "./products.ts";
import { search, untilFound } from "./shelf.ts";

const count = 30;

/** Many alike in each thing to sort by, found in several places, some popular. */
const nth = (i: number, word: string): Partial<Product> => ({
  name: i % 3 ? `${word} ${i % 4}` : `Thing ${i % 4}`,
  description: i % 3 ? null : `A ${word}`,
  ...{ isPopular: i % 4 === 0, sortOrder: i % 5, monthlyPrice: i % 3 },
});
let house: House;
let admin: Person;
let customer: Person;
let ids: string[];
const category = "searched";
beforeAll(async () => {
  house = await openHouse({ samples: false });
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
  const bodies = Array.from({ length: count }, (_, i) => ({
    ...nth(i, "Server"),
    category,
    status: "active",
  }));
  ids = (await Promise.all(bodies.map((body) => make(admin, body)))).map(({ id }) => id);
  await untilFound(customer, { category }, count);
});
afterAll(() => house.close());

describe("GET /products/search, page by page", () => {
  const page = (query: object) => search(customer, { category, q: "server", limit: 7, ...query });

  test("answers the same by cursor, page and offset", async () => {
    const whole = idsOf(await page({ limit: 100 }));
    expect(whole.toSorted()).toEqual(ids.toSorted());
    let cursor = {};
    for (const [at, expected] of [7, 7, 7, 7, 2].entries()) {
      const ways = await Promise.all([cursor, { page: at + 1 }, { offset: at * 7 }].map(page));
      for (const answer of ways) {
        expect(idsOf(answer)).toEqual(whole.slice(at * 7, at * 7 + expected));
        const { total, page, per_page, has_more } = answer.body.meta;
        expect([total, page, per_page, has_more]).toEqual([count, at + 1, 7, at < 4]);
      }
      cursor = { cursor: ways[0]!.body.meta.next_cursor };
    }
    expect(cursor).toEqual({ cursor: null });
  });

  test("answers an empty page behind the last, with what all pages say", async () => {
    const answer = await page({ page: 99 });
    expect([answer.status, answer.data]).toEqual([200, []]);
    expect(answer.body.meta).toMatchObject({ total: count, page: 99, has_more: false, next_cursor: null });
    expect(answer.body.meta.facets).toEqual((await page({})).body.meta.facets);
    expect((await page({ offset: 10_000 })).data).toEqual([]);
    expectInvalid(await page({ limit: 100, page: 102 }), "query/page");
  });

  test("meets each product once while others are made, changed and deleted", async () => {
    const doomed = await Promise.all(
      [1, 2, 3].map((i) => make(admin, { ...nth(i, "Server"), category, status: "active" })),
    );
    await untilFound(customer, { category }, count + 3);
    const found: string[] = [];
    let cursor = {};
    for (let round = 0; ; round++) {
      const { data, body } = await page({ sort: "name", ...cursor });
      found.push(...data.map(({ id }: any) => id));
      if (!body.meta.has_more) break;
      cursor = { cursor: body.meta.next_cursor };
      const gone = doomed.pop();
      const changed = [
        ...(gone ? [remove(admin, gone.id)] : []),
        put(admin, ids[round]!, { description: `A Server, round ${round}` }),
        make(admin, { name: `Server ${round}`, category, status: "active" }),
      ];
      await Promise.all(changed);
    }
    expect(new Set(found).size).toBe(found.length);
    expect(found.filter((id) => ids.includes(id)).sort()).toEqual(ids.toSorted());
  });
});

describe("a forged cursor", () => {
  const id = "01930b1c-7d5e-7a3b-8c21-4f9d6e0a1b2c";
  const good = ["relevance", 0, 136, [0, 1, id], 7];
  const text = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString("base64url");
  const replaced: [place: number, ...values: unknown[]][] = [
    [0, "name", "-relevance", "", null, 1, ["relevance"], "__proto__"],
    [1, -1, 4, 0.5, "0", null, 1e300],
    [2, -1, 0.5, 1e300, "136", null, [], {}],
    [
      3,
      null,
      [],
      {},
      "x",
      [id],
      [0, id],
      [0, 1, "x"],
      ["0", 1, id],
      [0, 1, { id }],
      [0, 1, [id]],
      [0, null, id],
    ],
    [4, -1, 0.5, 1e300, "7", null],
  ];
  const forged = [
    ...[
      "",
      "x",
      "%00",
      "\u0000",
      "ü",
      "e30",
      "W10",
      "bnVsbA",
      text(null),
      text({}),
      text("relevance"),
      "A".repeat(4000),
    ],
    ...replaced.flatMap(([place, ...values]) =>
      values.map((value) => text(good.with(place, value as string))),
    ),
    ...good.map((_, place) => text(good.toSpliced(place, 1))),
  ];
  for (const [n, cursor] of forged.entries())
    test(`is refused (${n}: ${JSON.stringify(Buffer.from(cursor, "base64url").toString().slice(0, 60))})`, async () => {
      expectInvalid(await search(customer, { q: "server", cursor }), "query/cursor");
    });

  for (const [sort, ...keys] of [
    ["name", [1, id], ["a"], [null, id]],
    ["-monthlyPrice", ["1", id], [1, 1, id], [null, id]],
    ["createdAt", [1, id]],
    ["sortOrder", ["a", id]],
  ] as const)
    test(`by ${sort} is refused with the key of another sort`, async () => {
      for (const key of keys)
        expectInvalid(await search(customer, { sort, cursor: text([sort, 0, 0, key, 7]) }), "query/cursor");
    });

  test("that could be ours answers a page", async () => {
    for (const parts of [good, good.with(2, 0), good.with(2, 100_000), good.with(1, 2), good.with(4, 1e9)])
      expect((await search(customer, { q: "server", cursor: text(parts) })).status).toBe(200);
  });

  test("can't be given beside a page or an offset", async () => {
    const cursor = text(good);
    expectInvalid(await search(customer, { cursor, page: 2 }), "query/page");
    expectInvalid(await search(customer, { cursor, offset: 2 }), "query/offset");
    expectInvalid(await search(customer, { offset: 5, page: 2 }), "query/page");
  });
});
