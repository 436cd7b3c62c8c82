import MiniSearch, { type SearchOptions, type SearchResult } from "minisearch";
import type { Product } from "../../schema/products/product.ts";
import { closeness, tolerance, wordsOf } from "./words.ts";

/** The fields that are searched, with what a word found there is worth. */
const weights = { name: 6, sku: 6, category: 4, features: 3, specs: 2, description: 1 } as const;
type Field = keyof typeof weights;
export const fields = Object.keys(weights) as Field[];

const textOf: Record<Field, (product: Product) => string> = {
  name: ({ name }) => name,
  sku: ({ sku }) => sku,
  category: ({ category }) => category,
  features: ({ features }) => features.join(" "),
  specs: ({ specs }) => Object.entries(specs).flat().join(" "),
  description: ({ description }) => description ?? "",
};

/** What is typed may be going on at its end; elsewhere a word may be cut short, a number not. */
const unfinished = (_: string, at: number, words: string[]) => at === words.length - 1;
const short = (word: string, at: number, words: string[]) =>
  unfinished(word, at, words) || (word.length > 2 && !/\p{N}/u.test(word));

/** How far a search goes, the strict way first: the next level counts only where the one before finds nothing. */
const levels: readonly SearchOptions[] = [
  { combineWith: "AND", prefix: unfinished, fuzzy: false },
  { combineWith: "AND", prefix: short, fuzzy: tolerance },
  { combineWith: "OR", prefix: unfinished, fuzzy: tolerance },
];
export const lastLevel = levels.length - 1;

export interface SearchIndex {
  /** Takes a product in, in the place of its older version. */
  put(product: Product): void;
  remove(id: string): void;
  /** Calls `visit` with each product that a level finds, and how well it fits. */
  visit(words: readonly string[], level: number, fields: Field[], visit: Visit): void;
}
type Visit = (id: string, rank: number) => void;

/** The words of all products, in memory. What a product is worth depends on itself alone, not on how many others there are, so that a walk through the pages meets each once. */
export function createSearchIndex(): SearchIndex {
  const engine = new MiniSearch<Product>({
    fields,
    extractField: (product, field) => (field === "id" ? product.id : textOf[field as Field](product)),
    tokenize: wordsOf,
    processTerm: (word) => word,
  });
  return {
    put: (product) => (engine.has(product.id) ? engine.replace(product) : engine.add(product)),
    remove: (id) => engine.has(id) && engine.discard(id),
    visit(words, level, searched, visit) {
      const rankOf = rankingFor(words);
      engine.search(words.join(" "), {
        ...levels[level],
        fields: searched,
        // Ranked here, not by the engine: what it would sort is not even collected.
        filter(result) {
          visit(result["id"], rankOf(result));
          return false;
        },
      });
    },
  };
}

/** Each word that was found counts 100, and up to 24 by how near it is and where it stands. */
function rankingFor(words: readonly string[]): (result: SearchResult) => number {
  const known = new Map<string, number[]>();
  const nearness = (found: string) => {
    const before = known.get(found);
    if (before) return before;
    const now = words.map((asked) => closeness(found, asked));
    known.set(found, now);
    return now;
  };
  return ({ match }) => {
    const best: number[] = words.map(() => 0);
    for (const found in match) {
      const near = nearness(found);
      const weight = weightOf(match[found] as Field[]);
      for (let i = 0; i < near.length; i++) {
        const worth = (near[i] as number) * weight;
        if (worth > (best[i] as number)) best[i] = worth;
      }
    }
    return best.reduce((sum, worth) => sum + (worth > 0 ? 100 + worth : 0), 0);
  };
}

function weightOf(found: Field[]): number {
  let most = 0;
  for (const field of found) if (weights[field] > most) most = weights[field];
  return most;
}
