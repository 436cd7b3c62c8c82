import * as v from "valibot";
import { maxFinePrice } from "../../schema/money.ts";
import { type Product, productStatuses, tiers } from "../../schema/products/product.ts";
import { text } from "../../schema/values.ts";
import type { Call } from "../http/call.ts";

/** A price in a query string. */
const Price = v.pipe(
  v.string(),
  v.regex(/^\d{1,9}(\.\d{1,6})?$/, "Must be a price."),
  v.transform(Number),
  v.number(),
  v.minValue(0),
  v.maxValue(maxFinePrice),
);

/** What lists and searches can be narrowed to. */
export const productFilters = {
  category: v.optional(
    v.pipe(text(1, 64), v.description("Those of this category."), v.examples(["compute"])),
  ),
  status: v.optional(
    v.pipe(
      v.picklist(productStatuses),
      v.description("Those with this status; customers have `active` alone."),
    ),
  ),
  tier: v.optional(v.pipe(v.picklist(tiers), v.description("Those of this tier."))),
  currency: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[A-Z]{3}$/, "Must be a currency code of ISO 4217."),
      v.description("Those with prices in this currency."),
      v.examples(["USD"]),
    ),
  ),
  minPrice: v.optional(v.pipe(Price, v.description("Lowest monthly price, included."), v.examples([10]))),
  maxPrice: v.optional(v.pipe(Price, v.description("Highest monthly price, included."), v.examples([100]))),
  isPopular: v.optional(
    v.pipe(
      v.picklist(["true", "false"]),
      v.transform((word) => word === "true"),
      v.boolean(),
      v.description("Popular ones, or the others."),
    ),
  ),
};

/** The orders that lists and searches share. */
export const productSorts = [
  ...(["sortOrder", "-sortOrder", "name", "-name"] as const),
  ...(["monthlyPrice", "-monthlyPrice", "createdAt", "-createdAt"] as const),
] as const;

/** What a list or search was narrowed to. */
export type Filters = v.InferOutput<v.ObjectSchema<typeof productFilters, undefined>>;

/** Whether the caller is staff or a service, who see products of every status; others see what is active. */
export const seesAll = ({ scope }: Call): boolean => scope === null;

/** What a caller may see at all, and what of it they want. */
export interface Sight {
  sees(product: Product): boolean;
  wants(product: Product): boolean;
}

/** What a caller may see, and what the filters let through. */
export function accepting(call: Call, filters: Filters): Sight {
  const { minPrice = 0, maxPrice = Number.POSITIVE_INFINITY, ...exact } = filters;
  const wanted = Object.entries({
    category: exact.category,
    status: exact.status,
    tier: exact.tier,
    currency: exact.currency,
    isPopular: exact.isPopular,
  }).filter(([, value]) => value !== undefined) as [keyof Product, unknown][];
  const all = seesAll(call);
  return {
    sees: ({ status }) => all || status === "active",
    wants: (product) =>
      product.monthlyPrice >= minPrice &&
      product.monthlyPrice <= maxPrice &&
      wanted.every(([field, value]) => product[field] === value),
  };
}
