import type { Product } from "../../schema/products/product.ts";
import type { Facets } from "../../schema/products/search.ts";
import type { Call } from "../../src/http/call.ts";
import type { pageOf } from "../../src/http/paging.ts";
import type { Catalogue } from "../../src/products/catalogue.ts";
import { accepting, type Filters } from "../../src/products/filters.ts";
import { createOrders, type Entry, entryOf } from "../../src/products/orders.ts";
import { searchPage } from "../../src/products/search.ts";
import { createSearchIndex } from "../../src/products/search-index.ts";
import { suggest } from "../../src/products/suggest.ts";
import type { Person } from "../house.ts";
import { eventually } from "../streams/bus.ts";

/* Products to search, in the process and over HTTP. */

const began = Date.UTC(2026, 0, 1);
let made = 0;

/** An active product with what is given, the rest plain; its sku and moment are its own. */
export function shelved(more: Partial<Product> = {}): Product {
  made++;
  const at = new Date(began + made * 1000).toISOString();
  return {
    ...{ id: Bun.randomUUIDv7(), sku: `P${made}`, name: `Thing ${made}`, description: null },
    ...{ category: "things", status: "active", specs: {}, monthlyPrice: 10, hourlyPrice: null },
    ...{ unitPrice: null, currency: "USD", annualDiscount: 0, tier: null, features: [] },
    ...{ isPopular: false, sortOrder: 0, ctaText: null, ctaAction: null },
    ...{ version: 1, createdAt: at, updatedAt: at },
    ...more,
  };
}

/** What the process has in memory of these products, without a database; `put` and `remove` change it. */
export function openShelf(products: readonly Product[]) {
  const entries = new Map<string, Entry>();
  const [index, orders] = [createSearchIndex(), createOrders(entries)];
  const put = (product: Product) => {
    const entry = entryOf(product);
    entries.set(product.id, entry);
    index.put(entry);
    orders.change();
  };
  products.forEach(put);
  const rest = { revision: 0, loaded: async () => {}, stop: async () => {} };
  return {
    ...({ entries, index, orders, ...rest } satisfies Catalogue),
    put,
    remove(id: string) {
      entries.delete(id);
      index.remove(id);
      orders.change();
    },
  };
}
export type Shelf = ReturnType<typeof openShelf>;

/** Somebody who asks in the process. */
export const asker = (scope: string | null) => ({ scope, meta: {} }) as unknown as Call;

interface Asked {
  filters?: Filters;
  sort?: string;
  limit?: number;
  cursor?: string | null | undefined;
  staff?: boolean;
}

/** A page of what a search finds for a customer, or `staff`. */
export function searchIn(shelf: Shelf, q: string, asked: Asked = {}) {
  const { filters = {}, sort = "relevance", limit = 100, cursor, staff = false } = asked;
  const call = asker(staff ? null : "tenant-1");
  const items = searchPage(
    shelf,
    call,
    { q, sort, limit, cursor: cursor ?? undefined },
    accepting(call, filters),
  );
  return { items, meta: call.meta as ReturnType<typeof pageOf> & { facets: Facets } };
}
export const namesIn = (shelf: Shelf, q: string, asked: Asked = {}) =>
  searchIn(shelf, q, asked).items.map(({ name }) => name);

/** What is to be found, of what is given, the best first; among equals, the order in which they are given decides. */
export type Promised = [
  what: string,
  query: string,
  given: (Partial<Product> & { name: string })[],
  ...names: string[],
];

/** The names that a query finds, in whichever order the given came in. */
export function foundAmong(given: readonly Partial<Product>[], query: string): string[][] {
  const products = given.map((each, i) => shelved({ sortOrder: i, ...each }));
  return [products, products.toReversed()].map((order) => namesIn(openShelf(order), query));
}

/** What is suggested to a customer. */
export const suggestIn = (shelf: Shelf, q: string, limit = 10) => {
  const customer = asker("tenant-1");
  return suggest(shelf, q, limit, accepting(customer, {}));
};

/** Searches over HTTP; the query's values are encoded. */
export const search = (person: Person, query: Record<string, string | number | boolean> = {}) =>
  person.call("GET", `/api/products/search?${new URLSearchParams(query as Record<string, string>)}`);

/** Waits until a search finds so many. */
export const untilFound = (person: Person, query: Record<string, string | number | boolean>, total: number) =>
  eventually(async () => (await search(person, query)).body.meta.total === total);
