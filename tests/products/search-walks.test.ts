import { describe, expect, test } from "bun:test";
import type { Product } from "../../schema/products/product.ts";
import { productSorts } from "../../src/products/filters.ts";
import { openShelf, type Shelf, searchIn, shelved } from "./shelf.ts";

const sorts = ["relevance", ...productSorts];
const count = 30;

/** Many alike in each thing to sort by, found in several places, some popular. */
const nth = (i: number, word: string): Partial<Product> => ({
  name: i % 3 ? `${word} ${i % 4}` : `Thing ${i % 4}`,
  description: i % 3 ? null : `A ${word}`,
  ...{ isPopular: i % 4 === 0, sortOrder: i % 5, monthlyPrice: i % 3 },
});
const many = (word: string) => Array.from({ length: count }, (_, i) => shelved(nth(i, word)));

/** What is asked at each level, and what comes meanwhile that answers better. */
const asked: [what: string, query: string, level: number, better: string][] = [
  ["as they are typed", "server", 0, "server"],
  ["misspelt", "servre", 1, "servre"],
  ["some of them", "server gold", 3, "server gold"],
  ["nothing", "", 0, "server"],
];

/** All pages from the first to the last, or the hundredth; `between` happens after each. */
function walk(
  shelf: Shelf,
  query: string,
  sort: string,
  between: (page: readonly Product[]) => void = () => {},
) {
  const pages = [searchIn(shelf, query, { sort, limit: 4 })];
  for (let page = pages[0]!; page.meta.has_more && pages.length < 100; pages.push(page)) {
    between(page.items);
    page = searchIn(shelf, query, { sort, limit: 4, cursor: page.meta.next_cursor });
  }
  return pages;
}
const met = (pages: { items: readonly Product[] }[]) =>
  pages.flatMap(({ items }) => items.map(({ id }) => id));
const levelOf = (cursor: string): number => JSON.parse(Buffer.from(cursor, "base64url").toString())[1];

describe("a walk by cursor", () => {
  for (const [what, query, level, better] of asked)
    for (const sort of sorts) {
      test(`by ${sort}, words ${what}: meets each product once, as one long page does`, () => {
        const shelf = openShelf(many("server"));
        const whole = searchIn(shelf, query, { sort });
        const pages = walk(shelf, query, sort);
        expect(levelOf(pages[0]!.meta.next_cursor!)).toBe(level);
        expect(met(pages)).toEqual(whole.items.map(({ id }) => id));
        expect(pages.map(({ meta }) => meta.page)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
        for (const { meta } of pages)
          expect([meta.total, meta.per_page, meta.facets]).toEqual([count, 4, whole.meta.facets]);
        expect(pages.at(-1)!.meta).toMatchObject({ has_more: false, next_cursor: null });
      });

      test(`by ${sort}, words ${what}: meets each once, while others come, go and change`, () => {
        const products = many("server");
        const shelf = openShelf(products);
        const order = searchIn(shelf, query, { sort }).items.map(({ id }) => id);
        const gone = new Set<string>();
        const pages = walk(shelf, query, sort, (page) => {
          const [first, last] = [page[0]!, page.at(-1)!];
          // The one that the cursor names goes, another is no longer on sale.
          shelf.remove(last.id);
          shelf.put({ ...first, status: "paused" });
          for (const { id } of [first, last]) gone.add(id);
          for (const place of [-9, 2, 99])
            shelf.put(shelved({ name: better, isPopular: true, sortOrder: place, monthlyPrice: place }));
          // Of those that stay, all changes but for what they are found and sorted by.
          for (const { id } of products.filter((product) => !gone.has(product.id)))
            shelf.put({ ...shelf.entries.get(id)!.product, category: `c${gone.size}`, currency: "EUR" });
        });
        const ids = met(pages);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.filter((id) => order.includes(id))).toEqual(order);
      });
    }

  test("ends with a page that is full", () => {
    const pages = walk(openShelf(many("server").slice(0, 8)), "server", "relevance");
    expect(pages.map(({ items, meta }) => [items.length, meta.has_more, typeof meta.next_cursor])).toEqual([
      [4, true, "string"],
      [4, false, "object"],
    ]);
  });

  test("ends where nothing is left that answers as well as what it began with", () => {
    const shelf = openShelf([...many("server"), ...many("serve")]);
    const pages = walk(shelf, "server", "relevance", () => {
      for (const { product } of shelf.entries.values())
        if (!product.name.startsWith("serve ")) shelf.remove(product.id);
    });
    expect(pages).toHaveLength(2);
    expect(pages[1]!.items).toEqual([]);
  });

  test("goes on behind the last one that was met, where that is dearer now", () => {
    const shelf = openShelf(many("server"));
    const [first] = walk(shelf, "", "monthlyPrice");
    shelf.put({ ...first!.items.at(-1)!, monthlyPrice: 1000 });
    const next = searchIn(shelf, "", { sort: "monthlyPrice", limit: 4, cursor: first!.meta.next_cursor });
    const known = met([first!]);
    for (const { id } of next.items) expect(known).not.toContain(id);
  });
});
