import type { Product } from "../../schema/products/product.ts";
import { createPostings, type Postings } from "./postings.ts";
import { termsOf } from "./words.ts";

/** What a word is worth in a name or sku, the most that there is. */
export const nameWeight = 6;

/** The fields that are searched, with what a word found there is worth; the best one counts, so it comes last. */
const fields: readonly [weight: number, textOf: (product: Product) => string][] = [
  [1, ({ description }) => description ?? ""],
  [2, ({ specs }) => lines(Object.entries(specs).map(([name, value]) => `${value} ${name}`))],
  [3, ({ features }) => lines(features)],
  [4, ({ category }) => category],
  [nameWeight, ({ name, sku }) => lines([name, sku])],
];
const lines = (texts: readonly string[]) => texts.join("\n");

/** What stands in the products, which go by numbers. */
export interface Vocabulary {
  readonly words: Postings;
  /** The first one and two letters of the words. */
  readonly beginnings: Postings;
  /** Numbers with their units. */
  readonly measures: Postings;
  /** A product has become another, or is new (`before` is null), or is gone (`after` is null). */
  change(number: number, before: Product | null, after: Product | null): void;
}

export function createVocabulary(): Vocabulary {
  const kinds = { words: createPostings(), beginnings: createPostings(), measures: createPostings() };
  return {
    ...kinds,
    change(number, before, after) {
      const [old, own] = [weightsIn(before), weightsIn(after)];
      for (const kind of ["words", "beginnings", "measures"] as const) {
        for (const term of old[kind].keys()) if (!own[kind].has(term)) kinds[kind].remove(term, number);
        for (const [term, weight] of own[kind]) kinds[kind].put(term, number, weight);
      }
    },
  };
}

/** What each term is worth in a product. */
function weightsIn(product: Product | null) {
  const [words, beginnings, measures] = [1, 2, 3].map(() => new Map<string, number>()) as [
    Weights,
    Weights,
    Weights,
  ];
  for (const [weight, textOf] of product ? fields : []) {
    const terms = termsOf(textOf(product as Product));
    for (const measure of terms.measures) measures.set(measure, weight);
    for (const word of terms.words) {
      words.set(word, weight);
      for (const length of [1, 2]) beginnings.set(word.slice(0, length), weight);
    }
  }
  return { words, beginnings, measures };
}
type Weights = Map<string, number>;
