import type { Entry } from "./orders.ts";
import { productAt } from "./postings.ts";
import { tally } from "./tally.ts";
import { asMeant, asTyped, type Source } from "./variants.ts";
import { createVocabulary, nameWeight } from "./vocabulary.ts";
import type { Terms } from "./words.ts";

/** What a number adds to how well a product fits when it is found with its unit. */
const measureFound = 50;

/** What is searched: all fields, or names and skus alone. */
const leastWeight = { everywhere: 1, names: nameWeight } as const;
export type Where = keyof typeof leastWeight;

/**
 * How far a search goes: all words as they are typed; all of them, cut short, misspelt, run together or apart; some
 * of them. The next level counts only where the one before finds nothing.
 */
export const levels = [0, 1, 2] as const;
export type Level = (typeof levels)[number];
export const lastLevel = 2;

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
      const typed = rarestFirst(words.map((word, at) => asTyped(vocabulary, word, at === words.length - 1)));
      let meant: Source[][] | undefined;
      return (level) => {
        if (level > 0) meant ??= rarestFirst(words.map((_, at) => asMeant(vocabulary, words, at)));
        const { products, ranks } = tally(meant ?? typed, { ...counted, all: level !== lastLevel });
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
    .map((sources) => ({ sources, size: sources.reduce((sum, [places]) => sum + places.length, 0) }))
    .sort((one, other) => one.size - other.size)
    .map(({ sources }) => sources);
