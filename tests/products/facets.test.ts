import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { expectEnvelope } from "../http/answers.ts";
import { sampleProducts } from "./generator.ts";
import { make } from "./products.ts";
import { openShelf, search, searchIn, shelved, untilFound } from "./shelf.ts";

const priceEdges = [0, 10, 25, 50, 100, 250, 500, 1000];

/** The same, counted the slow way. */
function counted(products: readonly any[]) {
  const values = (field: string) =>
    [...new Set(products.map((product) => product[field]).filter((value) => value !== null))]
      .map((value) => ({ value, count: products.filter((product) => product[field] === value).length }))
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  const price = priceEdges.map((from, i) => {
    const to = priceEdges[i + 1] ?? null;
    const inside = ({ monthlyPrice }: any) => monthlyPrice >= from && (to === null || monthlyPrice < to);
    return { from, to, count: products.filter(inside).length };
  });
  return {
    ...{ category: values("category"), tier: values("tier"), currency: values("currency") },
    price: price.filter(({ count }) => count > 0),
  };
}

let house: House;
let customer: Person;
let onSale: any[];
beforeAll(async () => {
  house = await openHouse({ samples: false });
  const admin = await house.admin();
  customer = await house.signUp();
  const edges = priceEdges.flatMap((edge) => [edge, edge + 0.01, Math.max(0, edge - 0.01)]);
  const bodies = edges.map((monthlyPrice, i) => ({
    ...{ name: `Edge ${i}`, category: "edges", monthlyPrice, currency: "CHF", tier: null, status: "active" },
  }));
  const samples = sampleProducts(60, 5).map(({ sku, ...sample }) => sample);
  const all = await Promise.all([...samples, ...bodies].map((each) => make(admin, each)));
  onSale = all.filter(({ status }) => status === "active");
  await untilFound(admin, {}, all.length);
});
afterAll(() => house.close());

type Query = Record<string, string | number>;
const facetsOf = async (query: Query) => (await search(customer, query)).body.meta.facets;
/** Everything that a search finds, which is less than a page here. */
const found = async (query: Query) => (await search(customer, { ...query, limit: 100 })).data;

describe("the facets of a search", () => {
  test("are those of everything on sale where nothing is asked", async () => {
    const answer = await search(customer, { limit: 1 });
    expectEnvelope(answer, { list: true, facets: true });
    expect(answer.body.meta.facets).toEqual(counted(onSale));
  });

  for (const query of [
    { q: "server" },
    { q: "servr" },
    { q: "server gold" },
    { q: "edge", maxPrice: 250 },
    { category: "edges" },
    { tier: "basic", currency: "USD" },
    { q: "nothingness" },
  ] as Query[])
    test(`count all that is found, on whatever page: ${new URLSearchParams(query as never)}`, async () => {
      const expected = counted(await found(query));
      for (const page of [
        {},
        { limit: 1 },
        { limit: 3, page: 2 },
        { offset: 90 },
        { sort: "-monthlyPrice", limit: 2 },
      ])
        expect(await facetsOf({ ...query, ...page } as Query)).toEqual(expected);
    });

  test("hold from their lower bound to below the upper, to the cent", async () => {
    const { price } = await facetsOf({ category: "edges" });
    // Of each edge: the edge and a cent above it, and the cent below the next.
    expect(price).toEqual([
      { from: 0, to: 10, count: 4 },
      { from: 10, to: 25, count: 3 },
      { from: 25, to: 50, count: 3 },
      { from: 50, to: 100, count: 3 },
      { from: 100, to: 250, count: 3 },
      { from: 250, to: 500, count: 3 },
      { from: 500, to: 1000, count: 3 },
      { from: 1000, to: null, count: 2 },
    ]);
  });

  test("say how many are left once they are chosen", async () => {
    for (const q of ["", "server", "edge", "servr"]) {
      const { category, tier, currency, price } = await facetsOf({ q });
      for (const [name, values] of Object.entries({ category, tier, currency }))
        for (const { value, count } of values)
          expect([name, value, (await search(customer, { q, [name]: value })).body.meta.total]).toEqual([
            name,
            value,
            count,
          ]);
      for (const { from, to, count } of price) {
        const range = { q, minPrice: from, ...(to === null ? {} : { maxPrice: (to - 0.01).toFixed(2) }) };
        expect([range, (await search(customer, range)).body.meta.total]).toEqual([range, count]);
      }
    }
  });
});

describe("the values of a facet", () => {
  test("are in order of their counts, then of their names, each once", () => {
    const categories = ["b", "a", "c", "c", "constructor", "d", "d", "d"];
    const shelf = openShelf(categories.map((category) => shelved({ category })));
    expect(searchIn(shelf, "").meta.facets.category).toEqual([
      { value: "d", count: 3 },
      { value: "c", count: 2 },
      { value: "a", count: 1 },
      { value: "b", count: 1 },
      { value: "constructor", count: 1 },
    ]);
  });

  test("leave out products that have none", () => {
    const shelf = openShelf([shelved({ tier: null }), shelved({ tier: "basic" })]);
    expect(searchIn(shelf, "").meta.facets.tier).toEqual([{ value: "basic", count: 1 }]);
  });
});
