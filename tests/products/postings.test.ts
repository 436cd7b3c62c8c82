import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { beginsNear } from "../../src/products/closeness.ts";
import { createPostings, inBoth, placeOf, productAt, weightAt } from "../../src/products/postings.ts";

const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 9 });
const weights = fc.dictionary(fc.nat(60).map(String), fc.integer({ min: 1, max: 7 }));
const placesFrom = (given: Record<string, number>) =>
  Object.entries(given)
    .map(([product, weight]) => placeOf(Number(product), weight))
    .sort((a, b) => a - b);

describe("where words stand", () => {
  test("that begin alike but for a letter is found for those words, and no others", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(word, { maxLength: 40 }),
        fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 5, maxLength: 8 }),
        (words, asked) => {
          const postings = createPostings();
          for (const [product, each] of words.entries()) postings.put(each, product, 1);
          const found = postings.beginningNear(asked).concat(postings.beginningWith(asked)).flat();
          const products = words.flatMap((each, product) => (beginsNear(each, asked) ? [product] : []));
          expect([...new Set(found.map(productAt))].sort((a, b) => a - b)).toEqual(products);
        },
      ),
    );
  });

  test("in both of two lists is where a product is in each, with the smaller weight", () => {
    fc.assert(
      fc.property(weights, weights, (some, others) => {
        const both = inBoth(placesFrom(some), placesFrom(others));
        const expected = Object.keys(some).filter((product) => product in others);
        expect(both.map((place) => [productAt(place), weightAt(place)])).toEqual(
          expected.map((product) => [
            Number(product),
            Math.min(some[product] as number, others[product] as number),
          ]),
        );
      }),
    );
  });
});
