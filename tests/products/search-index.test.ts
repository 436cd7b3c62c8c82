import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Product } from "../../schema/products/product.ts";
import { entryOf } from "../../src/products/orders.ts";
import { createPostings } from "../../src/products/postings.ts";
import { createSearchIndex, type SearchIndex } from "../../src/products/search-index.ts";
import { levels } from "../../src/products/variants.ts";
import { termsAsked } from "../../src/products/words.ts";
import { openShelf, searchIn, shelved } from "./shelf.ts";

const text = fc
  .array(
    fc.constantFrom(
      "server",
      "serve",
      "kubernetes",
      "16 GB",
      "16",
      "4",
      "load",
      "balancer",
      "loadbalancer",
      "k",
      "zürich",
    ),
    {
      maxLength: 4,
    },
  )
  .map((words) => words.join(" "));
const product = fc.record({
  name: text,
  description: text,
  category: fc.constantFrom("load", "server"),
  features: fc.array(text, { maxLength: 2 }),
  specs: fc.dictionary(fc.constantFrom("memory", "server"), text),
});
const ids = ["a", "b", "c", "d"];
const id = fc.constantFrom(...ids);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ id, product }) },
  { weight: 1, arbitrary: fc.record({ id, product: fc.constant(null) }) },
);
const queries = [
  "server",
  "s",
  "serv",
  "16gb",
  "kubernets 16",
  "load balancer",
  "loadbalancer zurich",
  "balancer gold 4",
];

/** All that every level finds in an index, and how well it fits. */
const findings = (index: SearchIndex) =>
  queries.flatMap((query) =>
    (["everywhere", "names"] as const).map((where) => {
      const search = index.search(termsAsked(query), where);
      return levels.map((level) => {
        const { entries, ranks } = search(level);
        return entries.map((entry, i) => `${entry.product.id} ${ranks[i]}`).sort();
      });
    }),
  );

describe("the search index", () => {
  test("finds the same after any changes as if it had been filled with what is left", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const [changed, fresh] = [createSearchIndex(), createSearchIndex()];
        const left = new Map<string, Product>();
        for (const { id, product } of steps)
          if (product) {
            const own = shelved({ ...product, id, sku: id });
            left.set(id, own);
            changed.put(entryOf(own));
          } else {
            left.delete(id);
            changed.remove(id);
          }
        for (const each of left.values()) fresh.put(entryOf(each));
        expect(findings(changed)).toEqual(findings(fresh));
      }),
      { numRuns: 200 },
    );
  });

  test("finds a product by each of its words, and ranks no level's findings by what else there is", () => {
    fc.assert(
      fc.property(fc.array(product, { minLength: 1, maxLength: 6 }), (many) => {
        const products = many.map((each) => shelved(each));
        const [first] = products as [Product];
        const [alone, among] = [openShelf([first]), openShelf(products)];
        const rankOf = (shelf: typeof alone, query: string) => {
          const { entries, ranks } = shelf.index.search(termsAsked(query), "everywhere")(0);
          return ranks[entries.findIndex((entry) => entry.product === first)];
        };
        for (const query of termsAsked(`${first.name} ${first.description} ${first.features}`).words) {
          expect(searchIn(among, query).items).toContain(first);
          expect(rankOf(among, query)).toBe(rankOf(alone, query)!);
        }
      }),
      { numRuns: 200 },
    );
  });

  test("forgets the words of what is gone", () => {
    const shelf = openShelf([shelved({ name: "Kubernetes" }), shelved({ id: "b", name: "Server" })]);
    shelf.put(shelved({ id: "b", name: "Volume" }));
    expect(searchIn(shelf, "server").items).toEqual([]);
    shelf.remove("b");
    expect(searchIn(shelf, "volume").items).toEqual([]);
    expect(searchIn(shelf, "kubernetes").items).toHaveLength(1);
    shelf.remove("b");
    expect(searchIn(shelf, "").items).toHaveLength(1);
    const words = createPostings();
    for (const product of [1, 2]) words.put("server", product, 6);
    for (const product of [1, 2, 3]) words.remove("server", product);
    expect([words.get("server"), words.beginningWith("s")]).toEqual([undefined, []]);
  });
});
