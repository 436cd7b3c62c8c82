import { describe, expect, test } from "bun:test";
import { sampleProducts, seededRandom } from "./generator.ts";
import { misspelt } from "./misspelt.ts";
import { openShelf, searchIn, shelved, suggestIn } from "./shelf.ts";

const products = sampleProducts(1000).map((sample) => shelved({ ...sample, tier: null }));
const shelf = openShelf(products);
const onSale = products.filter(({ status }) => status === "active");
const queries = 200;

/** How many of the misspelt names bring the product that was meant. */
function hits(seed: number, brings: (query: string, id: string) => boolean) {
  const random = seededRandom(seed);
  const missed: string[] = [];
  for (let n = 0; n < queries; n++) {
    const meant = onSale[Math.floor(random() * onSale.length)]!;
    const query = misspelt(meant, random);
    if (!brings(query, meant.id)) missed.push(`${query}: ${meant.name}`);
  }
  return { share: 1 - missed.length / queries, missed };
}

describe("of 200 misspelt names of 1,000 products", () => {
  for (const seed of [1, 2, 3]) {
    test(`at least 95 % find the product in the first five (seed ${seed})`, () => {
      const { share, missed } = hits(seed, (query, meant) =>
        searchIn(shelf, query, { limit: 5 }).items.some(({ id }) => id === meant),
      );
      if (share < 0.95) console.error(missed);
      expect(share).toBeGreaterThanOrEqual(0.95);
    });

    test(`at least 95 % suggest it in the first five (seed ${seed})`, () => {
      const { share } = hits(seed, (query, meant) =>
        suggestIn(shelf, query, 5).some(({ id }) => id === meant),
      );
      expect(share).toBeGreaterThanOrEqual(0.95);
    });
  }
});

describe("a misspelt query", () => {
  test("is one or two edits away from a name, in one word of five letters and more", () => {
    const random = seededRandom(9);
    const wrong = onSale.map((product) => {
      const [name, query] = [product.name.split(" "), misspelt(product, random).split(" ")];
      const places = name.flatMap((word, at) => (word === query[at] ? [] : [at]));
      expect(query).toHaveLength(name.length);
      for (const at of places) {
        expect(name[at]!.length).toBeGreaterThanOrEqual(5);
        expect(Math.abs(name[at]!.length - query[at]!.length)).toBeLessThanOrEqual(2);
      }
      return places.length;
    });
    expect(Math.max(...wrong)).toBe(1);
    // Two edits may undo each other, a letter may be replaced by itself or swapped with its like.
    expect(wrong.filter((count) => count === 1).length / wrong.length).toBeGreaterThan(0.85);
  });

  test("is the same for the same seed", () => {
    const made = () => {
      const random = seededRandom(5);
      return onSale.slice(0, 50).map((product) => misspelt(product, random));
    };
    expect(made()).toEqual(made());
  });
});
