import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { expectEnvelope, expectInvalid } from "../http/answers.ts";
import { make } from "./products.ts";
import { search, untilFound } from "./shelf.ts";

const names = [
  "Server",
  "Large Server",
  "b server b",
  "constructor",
  "__proto__",
  "toString",
  "100 %",
  "日本語",
  "😀 Smile",
];

let house: House;
let admin: Person;
let customer: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
  // Skus that no query means, whatever they are asked for.
  const skuOf = (at: number) => "Q".repeat(at + 2);
  await Promise.all(names.map((name, at) => make(admin, { sku: skuOf(at), name, status: "active" })));
  await untilFound(admin, {}, names.length);
});
afterAll(() => house.close());

const totalOf = async (q: string) => (await search(customer, { q })).body.meta.total;

describe("an odd query", () => {
  const odd = [
    ...[
      "constructor",
      "__proto__",
      "toString",
      "hasOwnProperty",
      "%",
      "100%",
      "' OR 1=1 --",
      "*",
      ".*",
      "(",
      "[a-z]+",
    ],
    ...[
      "\\",
      "\u0000",
      "\u0301",
      "\u202e",
      "😀",
      "👩‍🚀",
      "日",
      "日本語",
      "ｓｅｒｖｅｒ",
      "s",
      "4",
      ". - _ !",
      "a b c d e f g h i j k l m n",
    ],
    ...[
      "s".repeat(200),
      "ﷺ".repeat(200),
      "server ".repeat(28),
      "😀".repeat(200),
      "a\nb\tc",
      "<b>server</b>",
      "null",
    ],
  ];
  for (const q of odd)
    test(`is answered: ${JSON.stringify(q.slice(0, 20))}`, async () => {
      for (const person of [customer, admin]) {
        const answer = await search(person, { q });
        expect(answer.status).toBe(200);
        expectEnvelope(answer, { list: true, facets: true });
        expect(answer.data).toHaveLength(Math.min(20, answer.body.meta.total));
        expect(
          (await person.call("GET", `/api/products/search/suggest?${new URLSearchParams({ q })}`)).status,
        ).toBe(200);
      }
    });

  for (const [q, total] of [
    ["server", 3],
    ["SERVER", 3],
    ["ｓｅｒｖｅｒ", 3],
    ["şèŕvëŗ", 3],
    ["<b>server</b>", 1],
    ["server ".repeat(28), 3],
    ["constructor", 1],
    ["__proto__", 1],
    ["tostring", 1],
    ["hasOwnProperty", 0],
    ["日本", 1],
    ["😀", 1],
    ["%", 1],
    ["*", 0],
    ["' OR 1=1 --", 1],
  ] as const)
    test(`finds what it says: ${q.slice(0, 20)}`, async () => {
      expect(await totalOf(q)).toBe(total);
    });
});

describe("a search that can't be", () => {
  for (const [query, ...pointers] of [
    [`q=${"x".repeat(201)}`, "query/q"],
    ["limit=0", "query/limit"],
    ["limit=101", "query/limit"],
    ["status=ACTIVE", "query/status"],
    ["status=", "query/status"],
    ["tier=gold", "query/tier"],
    ["currency=usd", "query/currency"],
    ["category=", "query/category"],
    [`category=${"x".repeat(65)}`, "query/category"],
    ["minPrice=-1&maxPrice=x", "query/minPrice", "query/maxPrice"],
    ["minPrice=1e3", "query/minPrice"],
    ["maxPrice=", "query/maxPrice"],
    ["isPopular=1", "query/isPopular"],
    ["sort=-relevance", "query/sort"],
    ["sort=sku", "query/sort"],
    ["sort=__proto__", "query/sort"],
    ["query=server", "query/query"],
    ["Q=server", "query/Q"],
  ] as const)
    test(`is refused: ?${query.slice(0, 40)}`, async () => {
      expectInvalid(await customer.call("GET", `/api/products/search?${query}`), ...pointers);
    });
});
