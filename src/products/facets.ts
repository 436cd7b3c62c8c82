import type { Facets } from "../../schema/products/search.ts";
import type { Entry } from "./orders.ts";

/** Where one range of monthly prices ends and the next begins. */
const edges = [0, 10, 25, 50, 100, 250, 500, 1000] as const;

/** How the found are spread over categories, tiers, currencies and prices; what nothing falls into is left out. */
export function facetsOf(entries: readonly Entry[]): Facets {
  const [category, tier, currency] = [counter(), counter(), counter()];
  const prices = edges.map(() => 0);
  for (const { product } of entries) {
    category.count(product.category);
    if (product.tier !== null) tier.count(product.tier);
    currency.count(product.currency);
    let range = 1;
    while (range < edges.length && product.monthlyPrice >= (edges[range] as number)) range++;
    prices[range - 1] = (prices[range - 1] as number) + 1;
  }
  const price = prices.map((count, i) => ({ from: edges[i] as number, to: edges[i + 1] ?? null, count }));
  return {
    category: category.values(),
    tier: tier.values(),
    currency: currency.values(),
    price: price.filter(({ count }) => count > 0),
  };
}

function counter() {
  const counts = new Map<string, number>();
  return {
    count: (value: string) => counts.set(value, (counts.get(value) ?? 0) + 1),
    /** The most frequent first. */
    values: () =>
      [...counts]
        .map(([value, count]) => ({ value, count }))
        .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1)),
  };
}
