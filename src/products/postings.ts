import SearchableMap from "minisearch/SearchableMap";
import { mended } from "./closeness.ts";

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
  /** Where the words stand that begin so but for a letter. */
  beginningNear(beginning: string): Places[];
  /** Says what a word is worth in a product; what was said last counts. */
  put(word: string, product: number, weight: number): void;
  remove(word: string, product: number): void;
}

export function createPostings(): Postings {
  const placesOf = new SearchableMap<number[]>();
  return {
    get: (word) => placesOf.get(word),
    beginningWith: (beginning) => below(placesOf.atPrefix(beginning)._tree),
    near: (word, wrong) => [...placesOf.fuzzyGet(word, wrong).values()],
    beginningNear(beginning) {
      const found: Places[] = [];
      for (let at = 1; at < beginning.length; at++) {
        // The letters that come next in any word: looking at each word would take ten times as long.
        const tree = placesOf.atPrefix(beginning.slice(0, at))._tree;
        const letters = Array.from(tree.keys(), (key) => key.charAt(0));
        const others = letters.filter((letter) => letter !== "" && letter !== beginning.charAt(at));
        for (const meant of mended(beginning, at, others)) below(placesOf.atPrefix(meant)._tree, found);
      }
      return found;
    },
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

type Tree = SearchableMap<number[]>["_tree"];

/** The places of all words in a part of the tree; its own iterator takes four times as long. */
function below(tree: Tree, found: Places[] = []): Places[] {
  for (const [letters, part] of tree)
    if (letters === "") found.push(part as number[]);
    else below(part as Tree, found);
  return found;
}

/** Where the products are that stand in both, with the smaller weight. */
export function inBoth(some: Places, others: Places): Places {
  const [few, many] = some.length < others.length ? [some, others] : [others, some];
  const both: number[] = [];
  let at = 0;
  for (const place of few) {
    at = startOf(many, placeOf(productAt(place), 0), at);
    const other = many[at];
    if (other !== undefined && productAt(other) === productAt(place)) both.push(Math.min(place, other));
  }
  return both;
}

/** Where those that are not smaller begin in what is sorted; at `from` or behind it. */
function startOf(sorted: readonly number[], wanted: number, from = 0): number {
  let [low, high] = [from, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
