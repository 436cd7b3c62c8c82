import { and, gt, gte, inArray, lte } from "drizzle-orm";
import type * as v from "valibot";
import { notFound } from "../../schema/errors.ts";
import { type Product, type ProductState, products } from "../../schema/products/product.ts";
import type { World } from "../../schema/world.ts";
import type { Call } from "../http/call.ts";
import { auditOfRecord, only } from "../http/finding.ts";
import { listPage, listQuery } from "../http/paging.ts";
import { productFilters, productSorts, seesAll } from "./filters.ts";
import { changeView, productView } from "./products.views.ts";

/** What the list of products can be asked for. */
export const ListProducts = listQuery(productSorts, productFilters);
export const ListChanges = listQuery(["-version", "version"], {});

const visible = (call: Call) => (seesAll(call) ? undefined : only(products.status, "active"));

const columns = {
  sortOrder: products.sortOrder,
  name: products.name,
  monthlyPrice: products.monthlyPrice,
  createdAt: products.createdAt,
};

type Asked = v.InferOutput<typeof ListProducts>;

/** The products that the caller may see and the filters let through. */
export function listedProducts(call: Call, query: Asked) {
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
  return { table: products, columns, where };
}

/** A page of the products that the caller may see. */
export async function listProducts(world: World, call: Call, query: Asked): Promise<Product[]> {
  return (await listPage(world, call, listedProducts(call, query), query)).map(productView);
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
  return (await listPage(world, call, auditOfRecord(id), query)).map(changeView);
}

/** The products that have one of these skus, by sku. */
export async function productsWithSkus(
  { db }: World,
  skus: readonly string[],
): Promise<Map<string, ProductState>> {
  const found = await db
    .select()
    .from(products)
    .where(inArray(products.sku, ["", ...skus])); // a list may not be empty
  return new Map(found.map((product) => [product.sku, product]));
}

/** Products in the order in which they were made, from the one after `id` on. */
export async function productsAfter({ db }: World, id: string | null, limit: number): Promise<Product[]> {
  const rows = await db
    .select()
    .from(products)
    .where(id === null ? undefined : gt(products.id, id))
    .orderBy(products.id)
    .limit(limit);
  return rows.map(productView);
}
