import type { Entry } from "./orders.ts";
import { type Places, productAt } from "./postings.ts";
import { tally } from "./tally.ts";
import { type Level, lastLevel, type Source, variantsOf } from "./variants.ts";
import { createVocabulary, nameWeight } from "./vocabulary.ts";
import type { Terms } from "./words.ts";

/** What a number adds to how well a product fits when it is found with its unit. */
const measureFound = 50;

/** What is searched: all fields, or names and skus alone. */
const leastWeight = { everywhere: 1, names: nameWeight } as const;
export type Where = keyof typeof leastWeight;

/** Products, and how well each fits: the higher, the better. */
export interface Ranked {
  entries: Entry[];
  ranks: number[];
}

export interface SearchIndex {
  /** Takes a product in, in the place of its older version. */
  put(entry: Entry): void;
  remove(id: string): void;
  /** Begins a search; tells what each level finds. */
  search(asked: Terms, where: Where): (level: Level) => Ranked;
}

/**
 * The words of all products, in memory. How well a product fits depends on itself alone, not on how many others
 * there are, so that a walk through the pages meets each once.
 */
export function createSearchIndex(): SearchIndex {
  const vocabulary = createVocabulary();
  const numbers = new Map<string, number>();
  const held: (Entry | null)[] = [];
  const free: number[] = [];
  return {
    put(entry) {
      const number = numbers.get(entry.product.id) ?? free.pop() ?? held.length;
      vocabulary.change(number, held[number]?.product ?? null, entry.product);
      numbers.set(entry.product.id, number);
      held[number] = entry;
    },
    remove(id) {
      const number = numbers.get(id);
      if (number === undefined) return;
      vocabulary.change(number, held[number]?.product ?? null, null);
      numbers.delete(id);
      held[number] = null;
      free.push(number);
    },
    search({ words, measures }, where) {
      const counted = { size: held.length, least: leastWeight[where] };
      const variants = variantsOf(vocabulary, words);
      return (level) => {
        const sources = rarestFirst(variants(level));
        const { products, ranks } = tally(sources, { ...counted, all: level !== lastLevel });
        for (const measure of measures)
          for (const place of vocabulary.measures.get(measure) ?? [])
            ranks[productAt(place)] = (ranks[productAt(place)] as number) + measureFound;
        return {
          entries: products.map((product) => held[product] as Entry),
          ranks: products.map((product) => ranks[product] as number),
        };
      };
    },
  };
}

const rarestFirst = (words: Source[][]) =>
  words
    .map((sources) => ({ sources, size: sizeOf(sources.flatMap(([lists]) => lists)) }))
    .sort((one, other) => one.size - other.size)
    .map(({ sources }) => sources);

const sizeOf = (lists: readonly Places[]) => lists.reduce((sum, { length }) => sum + length, 0);
