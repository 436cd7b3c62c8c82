import * as v from "valibot";
import type { Product } from "../../schema/products/product.ts";
import { integer } from "../../schema/values.ts";
import type { Call } from "../http/call.ts";
import { readCursor } from "../http/cursor.ts";
import { type Listing, pageOf, rowsBefore, Skipped } from "../http/paging.ts";
import type { Catalogue } from "./catalogue.ts";
import { facetsOf } from "./facets.ts";
import type { Sight } from "./filters.ts";
import { type Entry, keyOf, keySchemas, type Order } from "./orders.ts";
import type { Ranked, Where } from "./search-index.ts";
import { type Level, lastLevel, levels } from "./variants.ts";
import { plain, termsAsked } from "./words.ts";

interface Found extends Ranked {
  level: Level;
}

/** Where a search looks (everywhere), and at which level alone (as many as it takes). */
interface Reach {
  where?: Where;
  level?: Level | undefined;
}

/**
 * What is wanted of the products that answer what was asked; of all where nothing was. The first level with any that
 * the caller sees decides, so that filters narrow what is found and never lead elsewhere.
 */
export function find(
  { entries, index }: Catalogue,
  text: string,
  sight: Sight,
  { where = "everywhere", level: only }: Reach = {},
): Found {
  const whole = text.trim();
  const asked = termsAsked(whole);
  if (asked.words.length === 0) return collect(beginningWith(entries, plain(whole)), 0, whole, sight);
  const search = index.search(asked, where);
  for (let level: Level = only ?? 0; ; level++) {
    const ranked = search(level);
    const seen = only !== undefined || ranked.entries.some(({ product }) => sight.sees(product));
    if (seen || level === lastLevel) return collect(ranked, level, whole, sight);
  }
}

/** Those whose name, or a word of it, or sku begins so; where no word was asked for, but signs. */
function beginningWith(entries: Catalogue["entries"], asked: string): Ranked {
  const found = [...entries.values()].filter(
    ({ title, sku }) => title.startsWith(asked) || title.includes(` ${asked}`) || sku.startsWith(asked),
  );
  return { entries: found, ranks: found.map(() => 0) };
}

function collect({ entries, ranks }: Ranked, level: Level, whole: string, { sees, wants }: Sight): Found {
  const found: Found = { entries: [], ranks: [], level };
  const asked = plain(whole);
  entries.forEach((entry, i) => {
    if (!sees(entry.product) || !wants(entry.product)) return;
    found.entries.push(entry);
    found.ranks.push((ranks[i] as number) + (level === 0 ? exactness(entry, asked, whole) : 0));
  });
  return found;
}

/** What the very sku is worth more than all words, and the very name more than one that goes on. */
function exactness({ title, sku, product }: Entry, asked: string, whole: string): number {
  if (sku === asked) return product.sku === whole ? 20_000 : 10_000;
  return title === asked ? 5000 : 0;
}

/** Where a page begins: behind this key among those of this rank, found at this level. */
interface Position {
  level: Level;
  rank: number;
  key: (string | number)[];
  skipped: number;
}

const Cursor = v.tuple([v.string(), v.picklist(levels), integer(0, 100_000), v.unknown(), Skipped]);

const positionOf = (cursor: string, sort: string, order: Order): Position =>
  readCursor(cursor, Cursor, ([cursorSort, level, rank, key, skipped]) =>
    cursorSort === sort ? { level, rank, key: v.parse(keySchemas[order], key), skipped } : undefined,
  );

/** One page of what a search finds; tells of the page and of the facets of all that was found. */
export function searchPage(
  catalogue: Catalogue,
  call: Call,
  { q, ...listing }: Listing & { q: string },
  sight: Sight,
): Product[] {
  const { sort, limit } = listing;
  const order = sort.replace("-", "") as Order;
  const before = rowsBefore(listing);
  const position = listing.cursor === undefined ? null : positionOf(listing.cursor, sort, order);
  const found = find(catalogue, q, sight, { level: position?.level });
  const line = lineUp(catalogue, found, order, sort.startsWith("-"));
  const start = position ? line.after(position) : before;
  const shown = line.slice(start, start + limit);
  const last = shown.at(-1);
  const skipped = position?.skipped ?? before;
  const more = last && start + limit < found.entries.length;
  const next = more ? [sort, found.level, last.rank, keyOf(order, last.entry), skipped + limit] : null;
  call.meta = { ...pageOf(found.entries.length, limit, skipped, next), facets: facetsOf(found.entries) };
  return shown.map(({ entry }) => entry.product);
}

/** Stands what was found in line: by rank where relevance decides, then by its place in the order. */
export function lineUp({ orders }: Catalogue, { entries, ranks }: Found, order: Order, down: boolean) {
  const all = orders.by(order);
  const size = all.length;
  const ranked = order === "relevance";
  // One number says both, so that they sort at once and fast.
  const numberOf = (rank: number, place: number) =>
    (ranked ? -rank * size : 0) + (down ? size - 1 - place : place);
  const numbers = new Float64Array(entries.length);
  entries.forEach((entry, i) => {
    numbers[i] = numberOf(ranks[i] as number, entry.places[order] as number);
  });
  numbers.sort();
  const read = (number: number) => {
    const rank = ranked ? -Math.floor(number / size) : 0;
    const place = number + rank * size;
    return { rank, entry: all[down ? size - 1 - place : place] as Entry };
  };
  return {
    slice: (start: number, end: number) => Array.from(numbers.subarray(start, end), read),
    /** How many of them come up to a position. */
    after({ rank, key }: Position): number {
      const place = down ? orders.before(order, key, false) - 1 : orders.before(order, key, true);
      const number = numberOf(rank, place);
      const at = numbers.findIndex((each) => each >= number);
      return at === -1 ? numbers.length : at;
    },
  };
}
