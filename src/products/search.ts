import * as v from "valibot";
import type { Product } from "../../schema/products/product.ts";
import { isId } from "../../schema/values.ts";
import type { Call } from "../http/call.ts";
import { readCursor } from "../http/cursor.ts";
import { type Listing, pageOf, rowsBefore, Skipped } from "../http/paging.ts";
import type { Catalogue } from "./catalogue.ts";
import { facetsOf } from "./facets.ts";
import { type Entry, keyOf, type Order } from "./orders.ts";
import { fields as allFields, lastLevel } from "./search-index.ts";
import { plain, wordsAsked } from "./words.ts";

/** Whether a product may be found. */
export type Accepts = (product: Product) => boolean;

interface Found {
  entries: Entry[];
  /** How well each fits; the higher, the better. */
  ranks: number[];
  /** How far the search had to go. */
  level: number;
}

/** The products that answer what was asked, from the first level that finds any; all of them where nothing was asked. */
export function find(
  { entries, index }: Catalogue,
  text: string,
  accepts: Accepts,
  { from = 0, fields = allFields }: { from?: number; fields?: typeof allFields } = {},
): Found {
  const whole = text.trim();
  const asked = plain(whole);
  const { words, letter } = wordsAsked(text);
  if (words.length === 0)
    return collect(from, accepts, (take) => {
      const begun = letter ?? asked;
      for (const entry of entries.values()) if (hasBegun(entry, begun)) take(entry, 0);
    });
  for (let level = from; ; level++) {
    const found = collect(level, accepts, (take) =>
      index.visit(words, level, fields, (id, rank) => {
        const entry = entries.get(id);
        if (!entry) return;
        if (level > 0) take(entry, rank);
        else if (letter === null || hasBegun(entry, letter))
          take(entry, rank + exactness(entry, asked, whole));
      }),
    );
    if (found.entries.length > 0 || level >= lastLevel) return found;
  }
}

function collect(
  level: number,
  accepts: Accepts,
  search: (take: (entry: Entry, rank: number) => void) => void,
): Found {
  const found: Found = { entries: [], ranks: [], level };
  search((entry, rank) => {
    if (!accepts(entry.product)) return;
    found.entries.push(entry);
    found.ranks.push(rank);
  });
  return found;
}

/** Whether a word of the name begins so, or the sku. */
const hasBegun = ({ title, sku }: Entry, asked: string) =>
  title.startsWith(asked) || title.includes(` ${asked}`) || sku.startsWith(asked);

/** What the very sku is worth more than all words, and the very name more than one that goes on. */
function exactness({ title, sku, product }: Entry, asked: string, whole: string): number {
  if (sku === asked) return product.sku === whole ? 20_000 : 10_000;
  return title === asked ? 5000 : 0;
}

const Cursor = v.tuple([
  v.string(),
  v.picklist([0, 1, 2]),
  v.pipe(v.number(), v.integer()),
  v.array(v.union([v.string(), v.number()])),
  Skipped,
]);

/** Where a page begins: behind this key among those of this rank, found at this level. */
interface Position {
  level: number;
  rank: number;
  key: (string | number)[];
  skipped: number;
}

const positionOf = (cursor: string, sort: string): Position =>
  readCursor(cursor, Cursor, ([cursorSort, level, rank, key, skipped]) =>
    cursorSort === sort && isId(String(key.at(-1))) ? { level, rank, key, skipped } : undefined,
  );

/** One page of what a search finds; tells of the page and of the facets of all that was found. */
export function searchPage(
  catalogue: Catalogue,
  call: Call,
  { q, ...listing }: Listing & { q: string },
  accepts: Accepts,
): Product[] {
  const { sort, limit } = listing;
  const order = sort.replace("-", "") as Order;
  const before = rowsBefore(listing);
  const position = listing.cursor === undefined ? null : positionOf(listing.cursor, sort);
  const found = find(catalogue, q, accepts, { from: position?.level ?? 0 });
  const line = lineUp(catalogue, found, order, sort.startsWith("-"));
  const start = position ? line.after(position) : before;
  const shown = line.slice(start, start + limit);
  const last = shown.at(-1);
  const skipped = position?.skipped ?? before;
  const more = last && start + limit < found.entries.length;
  const next = more
    ? [sort, found.level, last.rank, keyOf(order, last.entry.product), skipped + limit]
    : null;
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
