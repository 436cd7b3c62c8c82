import { Elysia } from "elysia";
import * as v from "valibot";
import { Product } from "../../schema/products/product.ts";
import { CategoryCount, Facets, Suggestion } from "../../schema/products/search.ts";
import { object, text } from "../../schema/values.ts";
import { endpoint } from "../http/endpoint.ts";
import { idiom } from "../http/idiom.ts";
import { allOf, listQuery, wholeNumber } from "../http/paging.ts";
import type { Landfall } from "../landfall.ts";
import type { Catalogue } from "./catalogue.ts";
import { facetsOf } from "./facets.ts";
import { accepting, productFilters, productSorts, type Sight } from "./filters.ts";
import { searchPage } from "./search.ts";
import { suggest } from "./suggest.ts";

const Typed = (minimum: number) =>
  v.pipe(
    text(minimum, 200),
    v.description(
      "Words in any order, as they are typed: the last may be unfinished, each may be misspelt. The first twelve count.",
    ),
    v.examples(["standard vm"]),
  );

const SearchProducts = listQuery(["relevance", ...productSorts], {
  q: v.optional(Typed(0), ""),
  ...productFilters,
});

const Suggest = object({
  q: Typed(1),
  limit: v.optional(v.pipe(wholeNumber(1, 20), v.description("Suggestions, 1 to 20; default 10.")), "10"),
});

const common = { tag: "Product search", may: "products.read", list: true } as const;

export const searchRoutes = (landfall: Landfall, catalogue: Catalogue) =>
  new Elysia({ prefix: "/products/search" })
    .use(idiom(landfall))
    .get(
      "",
      async ({ call, query }) => {
        await catalogue.loaded();
        return searchPage(catalogue, call, query, accepting(call, query));
      },
      endpoint({
        id: "searchProducts",
        ...common,
        summary: "Full-text search",
        description:
          "Over name, sku, description, category, features and specs. A product with exactly this sku comes first, then one with exactly this name; popular ones come first among equals. Words cut short, misspelt, run together or apart count where nothing is spelt so; where no product has all words, those with some are found, the most first. Filters only narrow what the words find. `meta.facets` counts all that was found.",
        query: SearchProducts,
        answer: v.array(Product),
        meta: { facets: Facets },
      }),
    )
    .get(
      "/suggest",
      async ({ call, query }) => {
        await catalogue.loaded();
        return allOf(call, suggest(catalogue, query.q, query.limit, accepting(call, {})));
      },
      endpoint({
        id: "suggestProducts",
        ...common,
        summary: "Autocomplete suggestions",
        description: "By name and sku. `highlight` is safe to show as HTML.",
        query: Suggest,
        answer: v.array(Suggestion),
      }),
    )
    .get(
      "/categories",
      async ({ call }) => {
        await catalogue.loaded();
        return allOf(call, categories(catalogue, accepting(call, {})));
      },
      endpoint({
        id: "listProductCategories",
        ...common,
        summary: "All product categories",
        description: "With the number of products in each that you may see, by name.",
        answer: v.array(CategoryCount),
      }),
    );

function categories({ entries }: Catalogue, { sees }: Sight): CategoryCount[] {
  const seen = [...entries.values()].filter(({ product }) => sees(product));
  return facetsOf(seen)
    .category.map(({ value, count }) => ({ category: value, count }))
    .sort((a, b) => (a.category < b.category ? -1 : 1));
}
