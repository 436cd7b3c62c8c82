import { and, gte, lte } from "drizzle-orm";
import * as v from "valibot";
import { notFound } from "../../schema/errors.ts";
import {
  type Product,
  type ProductState,
  productStatuses,
  products,
  tiers,
} from "../../schema/products/product.ts";
import { auditEntries } from "../../schema/runtime/audit-entry.ts";
import { text } from "../../schema/values.ts";
import type { World } from "../../schema/world.ts";
import type { Call } from "../http/call.ts";
import { only } from "../http/finding.ts";
import { listPage, listQuery } from "../http/paging.ts";
import { changeView, productView } from "./products.views.ts";

/** A price in a query string. */
const Price = v.pipe(
  v.string(),
  v.regex(/^\d{1,9}(\.\d{1,6})?$/, "Must be a price."),
  v.transform(Number),
  v.number(),
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

/** What the list of products can be asked for. */
export const ListProducts = listQuery(productSorts, productFilters);
export const ListChanges = listQuery(["-version", "version"], {});

/** Whether the caller is staff or a service, who see products of every status; others see what is active. */
export const seesAll = ({ scope }: Call): boolean => scope === null;

const visible = (call: Call) => (seesAll(call) ? undefined : only(products.status, "active"));

const columns = {
  sortOrder: products.sortOrder,
  name: products.name,
  monthlyPrice: products.monthlyPrice,
  createdAt: products.createdAt,
};

/** A page of the products that the caller may see. */
export async function listProducts(
  world: World,
  call: Call,
  query: v.InferOutput<typeof ListProducts>,
): Promise<Product[]> {
  const { category, status, tier, currency, minPrice, maxPrice, isPopular } = query;
  const where = [
    visible(call),
    only(products.category, category),
    only(products.status, status),
    only(products.tier, tier),
    only(products.currency, currency),
    minPrice === undefined ? undefined : gte(products.monthlyPrice, String(minPrice)),
    maxPrice === undefined ? undefined : lte(products.monthlyPrice, String(maxPrice)),
    only(products.isPopular, isPopular),
  ];
  return (await listPage(world, call, { table: products, columns, where }, query)).map(productView);
}

/** One product; throws `not_found` when there is none that the caller may see. */
export async function findProduct({ db }: World, call: Call, id: string): Promise<ProductState> {
  const [found] = await db
    .select()
    .from(products)
    .where(and(only(products.id, id), visible(call)));
  if (!found) throw notFound("product");
  return found;
}

/** A page of what has been changed on a product, the latest first. */
export async function changesOfProduct(
  world: World,
  call: Call,
  id: string,
  query: v.InferOutput<typeof ListChanges>,
) {
  await findProduct(world, call, id);
  const listed = {
    table: auditEntries,
    columns: { version: auditEntries.version },
    where: [only(auditEntries.recordId, id)],
  };
  return (await listPage(world, call, listed, query)).map(changeView);
}
