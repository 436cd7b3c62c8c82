import { productAt, weightAt } from "./postings.ts";
import type { Source } from "./variants.ts";

/** What each word that is found adds to how well a product fits, besides how near it is and where it stands (36 at most). */
const wordFound = 100;

/** The numbers of the products that were found, and how well each product fits, by its number. */
interface Tally {
  products: number[];
  ranks: Uint16Array;
}

interface Counted {
  /** How many products there are. */
  size: number;
  /** What a word must be worth to count. */
  least: number;
  /** Whether a product must have each word, or any. */
  all: boolean;
}

/** Counts together what the words come to in each product. */
export function tally(words: readonly (readonly Source[])[], { size, least, all }: Counted): Tally {
  const [ranks, found, best] = [new Uint16Array(size), new Uint8Array(size), new Uint8Array(size)];
  let products: number[] = [];
  for (const [at, sources] of words.entries()) {
    const having: number[] = [];
    for (const [lists, closeness] of sources)
      for (const places of lists)
        for (const place of places) {
          const product = productAt(place);
          const weight = weightAt(place);
          if (weight < least || (all && found[product] !== at)) continue;
          const before = best[product] as number;
          if (before === 0) having.push(product);
          best[product] = Math.max(before, closeness * weight);
        }
    if (all) products = having;
    for (const product of having) {
      if (!all && found[product] === 0) products.push(product);
      ranks[product] = (ranks[product] as number) + wordFound + (best[product] as number);
      found[product] = (found[product] as number) + 1;
      best[product] = 0;
    }
    if (all && having.length === 0) break;
  }
  return { products, ranks };
}
