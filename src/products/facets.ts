import type { Product } from "../../schema/products/product.ts";
import type { Facets } from "../../schema/products/search.ts";
import type { Entry } from "./orders.ts";

/** Where one range of monthly prices ends and the next begins. */
const edges = [0, 10, 25, 50, 100, 250, 500, 1000] as const;

/** What a product counts for. Products that count for the same share one, so that thousands are counted fast. */
export interface Kind extends Pick<Product, "category" | "tier" | "currency"> {
  /** Which range of prices. */
  readonly range: number;
}
const kinds = new Map<string, Kind>();
const mostKinds = 10_000;

/** The one that stands for products like this. */
export function kindOf({ category, tier, currency, monthlyPrice }: Product): Kind {
  const range = edges.findLastIndex((edge) => monthlyPrice >= edge);
  const key = `${category} ${tier} ${currency} ${range}`;
  const known = kinds.get(key);
  if (known) return known;
  const kind = { category, tier, currency, range };
  // Forgets those of products long gone; two that are alike are counted together all the same.
  if (kinds.size >= mostKinds) kinds.clear();
  kinds.set(key, kind);
  return kind;
}

/** How the found are spread over categories, tiers, currencies and prices; what nothing falls into is left out. */
export function facetsOf(entries: readonly Entry[]): Facets {
  const found = new Map<Kind, number>();
  for (const { kind } of entries) found.set(kind, (found.get(kind) ?? 0) + 1);
  const [category, tier, currency] = [counter(), counter(), counter()];
  const prices = edges.map((from, i) => ({ from, to: edges[i + 1] ?? null, count: 0 }));
  for (const [kind, count] of found) {
    category.add(kind.category, count);
    if (kind.tier !== null) tier.add(kind.tier, count);
    currency.add(kind.currency, count);
    (prices[kind.range] as { count: number }).count += count;
  }
  return {
    category: category.values(),
    tier: tier.values(),
    currency: currency.values(),
    price: prices.filter(({ count }) => count > 0),
  };
}

function counter() {
  const counts = new Map<string, number>();
  return {
    add: (value: string, count: number) => counts.set(value, (counts.get(value) ?? 0) + count),
    /** The most frequent first. */
    values: () =>
      [...counts]
        .map(([value, count]) => ({ value, count }))
        .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1)),
  };
}
