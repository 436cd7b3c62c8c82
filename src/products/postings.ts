import SearchableMap from "minisearch/SearchableMap";

/** Where a word stands: in which products, by their numbers, ascending, and what it is worth in each. */
export type Places = readonly number[];

const weightBits = 3;
/** A place in one number, so that a search runs through them fast; `weight` is from 1 to 7. */
export const placeOf = (product: number, weight: number): number => (product << weightBits) | weight;
export const productAt = (place: number): number => place >> weightBits;
export const weightAt = (place: number): number => place & ((1 << weightBits) - 1);

/** Which words stand where: a radix tree, which finds words by their beginnings and misspelt ones. */
export interface Postings {
  get(word: string): Places | undefined;
  /** Where the words stand that begin so. */
  beginningWith(beginning: string): Places[];
  /** Where the words stand that have so many letters wrong at most (Levenshtein), and how many. */
  near(word: string, wrong: number): [Places, wrong: number][];
  /** Says what a word is worth in a product; what was said last counts. */
  put(word: string, product: number, weight: number): void;
  remove(word: string, product: number): void;
}

export function createPostings(): Postings {
  const placesOf = new SearchableMap<number[]>();
  return {
    get: (word) => placesOf.get(word),
    beginningWith: (beginning) => [...placesOf.atPrefix(beginning).values()],
    near: (word, wrong) => [...placesOf.fuzzyGet(word, wrong).values()],
    put(word, product, weight) {
      const places = placesOf.fetch(word, () => []);
      const at = startOf(places, placeOf(product, 0));
      const known = productAt(places[at] ?? -1) === product;
      places.splice(at, known ? 1 : 0, placeOf(product, weight));
    },
    remove(word, product) {
      const places = placesOf.get(word);
      const at = places ? startOf(places, placeOf(product, 0)) : 0;
      if (!places || productAt(places[at] ?? -1) !== product) return;
      places.splice(at, 1);
      if (places.length === 0) placesOf.delete(word);
    },
  };
}

/** Where those that are not smaller begin in what is sorted. */
function startOf(sorted: readonly number[], wanted: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
