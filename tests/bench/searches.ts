import type { Filters } from "../../src/products/filters.ts";
import { type SampleProduct, seededRandom } from "../products/generator.ts";
import { misspelt } from "../products/misspelt.ts";

/* What people type into a search, made of a seed. */

/** One search, as its query string says it. */
export interface Search {
  q?: string;
  filters: Pick<Filters, "category" | "tier" | "currency" | "maxPrice" | "isPopular">;
  sort: "relevance" | "monthlyPrice";
}

type Random = () => number;
const wordsOf = ({ name }: SampleProduct) => name.split(" ");
const search = (q: string, filters: Search["filters"] = {}, sort: Search["sort"] = "relevance"): Search => ({
  q,
  filters,
  sort,
});

/** The kinds of searches; each is as frequent as the others. */
const kinds: readonly ((product: SampleProduct, random: Random) => Search)[] = [
  ({ name }) => search(name),
  (product) => search(wordsOf(product).slice(0, 2).join(" ")),
  (product, random) => search((wordsOf(product)[0] as string).slice(0, 1 + Math.floor(random() * 5))),
  (product, random) => search(cutShort(wordsOf(product).slice(0, 3).join(" "), random)),
  ({ sku }) => search(sku),
  ({ sku }) => search(sku.slice(0, 7).toLowerCase()),
  ({ category }) => search(category),
  ({ name, specs }) =>
    search(`${name.split(" ")[1]} ${specs["memory"] ?? specs["capacity"] ?? specs["region"]}`),
  ({ features }) => search(features[0] as string),
  (product, random) => search(misspelt(product, random)),
  () => ({ filters: {}, sort: "relevance" }),
  ({ category, tier }) => ({ filters: { category, tier: tier as "basic" }, sort: "monthlyPrice" }),
  (product) => search(wordsOf(product)[0] as string, { currency: product.currency, maxPrice: 100 }),
  (product) => search(wordsOf(product)[1] as string, { isPopular: true }, "monthlyPrice"),
];

const cutShort = (text: string, random: Random) => text.slice(0, text.length - 1 - Math.floor(random() * 3));
const pick = <T>(from: readonly T[], random: Random) => from[Math.floor(random() * from.length)] as T;

/** So many searches for these products, of every kind. */
export function searches(products: readonly SampleProduct[], count: number, seed: number): Search[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, n) =>
    (kinds[n % kinds.length] as (typeof kinds)[number])(pick(products, random), random),
  );
}

/** What stands in the field at each keystroke of somebody who types names, now and then a sku or a misspelt name; from the first letter on. */
export function keystrokes(products: readonly SampleProduct[], count: number, seed: number): string[] {
  const random = seededRandom(seed);
  const typed: string[] = [];
  while (typed.length < count) {
    const product = pick(products, random);
    const chance = random();
    const text = chance < 0.1 ? product.sku : chance < 0.2 ? misspelt(product, random) : product.name;
    for (let length = 1; length <= text.length; length++) typed.push(text.slice(0, length));
  }
  return typed.slice(0, count);
}

/** A search as the end of an address. */
export function queryOf({ q, filters, sort }: Search): string {
  const query = new URLSearchParams({ sort });
  for (const [name, value] of Object.entries({ q, ...filters }))
    if (value !== undefined) query.set(name, String(value));
  return query.toString();
}
