import * as v from "valibot";
import type { Product } from "../../schema/products/product.ts";
import { isId } from "../../schema/values.ts";
import { type Kind, kindOf } from "./facets.ts";
import { plain } from "./words.ts";

/* The orders in which the products of the catalogue can be shown. */

type Key = readonly (string | number)[];

/** What each order goes by; the id parts what is alike. `relevance` stands for what comes first among equals: the popular. */
const keys = {
  relevance: ({ product: { isPopular, sortOrder } }) => [isPopular ? 0 : 1, sortOrder],
  sortOrder: ({ product }) => [product.sortOrder],
  name: ({ title }) => [title],
  monthlyPrice: ({ product }) => [product.monthlyPrice],
  createdAt: ({ product }) => [product.createdAt],
} as const satisfies Record<string, (entry: Entry) => Key>;
export type Order = keyof typeof keys;

const Id = v.pipe(v.string(), v.check(isId));
const byNumber = v.tuple([v.number(), Id]);
const byText = v.tuple([v.string(), Id]);

/** What a key in each order is made of, for those that come from outside. */
export const keySchemas = {
  relevance: v.tuple([v.number(), v.number(), Id]),
  sortOrder: byNumber,
  name: byText,
  monthlyPrice: byNumber,
  createdAt: byText,
} as const satisfies Record<Order, v.GenericSchema>;

/** A product in the catalogue. */
export interface Entry {
  readonly product: Product;
  /** Name and sku in lower case, the name without accents. */
  readonly title: string;
  readonly sku: string;
  readonly kind: Kind;
  /** Its place in each order that was asked for since the last change. */
  readonly places: Partial<Record<Order, number>>;
}

export const entryOf = (product: Product): Entry => ({
  product,
  title: plain(product.name),
  sku: product.sku.toLowerCase(),
  kind: kindOf(product),
  places: {},
});

/** What a product is ordered by, its id at the end. */
export const keyOf = (order: Order, entry: Entry): Key => [...keys[order](entry), entry.product.id];

function compare(a: Key, b: Key): number {
  for (let i = 0; i < a.length; i++) {
    const [one, other] = [a[i] as string, b[i] as string];
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}

export interface Orders {
  /** All products in an order; sets the place of each. */
  by(order: Order): readonly Entry[];
  /** How many products come before a key, or have it (`included`). */
  before(order: Order, key: Key, included: boolean): number;
  /** Something is different: the orders are made anew when they are asked for. */
  change(): void;
}

/** Keeps each order until the catalogue changes. */
export function createOrders(held: ReadonlyMap<string, Entry>): Orders {
  const made = new Map<Order, Entry[]>();
  function by(order: Order): readonly Entry[] {
    const known = made.get(order);
    if (known) return known;
    const keyed = Array.from(held.values(), (entry) => [keyOf(order, entry), entry] as const);
    const entries = keyed.sort(([a], [b]) => compare(a, b)).map(([, entry]) => entry);
    entries.forEach((entry, place) => {
      entry.places[order] = place;
    });
    made.set(order, entries);
    return entries;
  }
  return {
    by,
    before(order, key, included) {
      const entries = by(order);
      let [low, high] = [0, entries.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        const difference = compare(keyOf(order, entries[middle] as Entry), key);
        if (difference < 0 || (included && difference === 0)) low = middle + 1;
        else high = middle;
      }
      return low;
    },
    change: () => made.clear(),
  };
}
