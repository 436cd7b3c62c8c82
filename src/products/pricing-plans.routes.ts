import { createHash } from "node:crypto";
import { Elysia } from "elysia";
import * as v from "valibot";
import { type Product, productStatuses } from "../../schema/products/product.ts";
import { PricingPlan } from "../../schema/products/search.ts";
import { object } from "../../schema/values.ts";
import { endpoint } from "../http/endpoint.ts";
import { idiom } from "../http/idiom.ts";
import { allOf } from "../http/paging.ts";
import type { Landfall } from "../landfall.ts";
import type { Catalogue } from "./catalogue.ts";
import { productFilters } from "./filters.ts";

const Query = object({
  category: productFilters.category,
  status: v.optional(
    v.pipe(
      v.picklist(productStatuses),
      v.description("Only `active` plans are shown; any other finds none."),
    ),
  ),
});

/** When `/products` took its place (RFC 9745). */
const deprecatedAt = Date.UTC(2026, 0, 1) / 1000;
const always = {
  "Cache-Control": "public, max-age=60",
  Deprecation: `@${deprecatedAt}`,
  Link: '</api/products>; rel="successor-version"',
};

export const pricingPlanRoutes = (landfall: Landfall, catalogue: Catalogue) => {
  const plansOf = createPlans(catalogue);
  return new Elysia().use(idiom(landfall)).get(
    "/pricing-plans",
    async ({ call, query }) => {
      await catalogue.loaded();
      const { plans, tag } = plansOf(query.category, query.status);
      call.headers = { ...always, ETag: tag };
      return allOf(call, plans);
    },
    endpoint({
      id: "listPricingPlans",
      tag: "Products",
      may: "anyone",
      summary: "Legacy product listing",
      description: "All active products in one answer. Deprecated: use `GET /api/products`.",
      deprecated: true,
      query: Query,
      answer: v.array(PricingPlan),
      statuses: [200, 304],
      headers: ["ETag", "Cache-Control", "Deprecation", "Link"],
      list: true,
    }),
  );
};

interface Plans {
  readonly plans: PricingPlan[];
  /** Weak: what `meta` says differs with each answer. */
  readonly tag: string;
}

/** The active products of a category, or of all; made once for each state of the catalogue. */
function createPlans(catalogue: Catalogue) {
  const made = new Map<string | undefined, Plans>();
  let revision = -1;
  return (category: string | undefined, status = "active"): Plans => {
    if (status !== "active") return none;
    if (revision !== catalogue.revision) {
      made.clear();
      revision = catalogue.revision;
    }
    const known = made.get(category);
    if (known) return known;
    const entries = catalogue.orders.by("sortOrder");
    const shown = entries.filter(
      ({ product }) => product.status === "active" && (category ?? product.category) === product.category,
    );
    // What nobody has is not kept: anybody could ask for ever more of it.
    if (shown.length === 0) return none;
    const plans = plansFrom(shown.map(({ product }) => planView(product)));
    made.set(category, plans);
    return plans;
  };
}

const plansFrom = (plans: PricingPlan[]): Plans => ({
  plans,
  tag: `W/"${createHash("sha256").update(JSON.stringify(plans)).digest("base64url").slice(0, 22)}"`,
});
const none = plansFrom([]);

const fields = Object.keys(PricingPlan.pipe[0].entries) as (keyof PricingPlan)[];
const planView = (product: Product) =>
  Object.fromEntries(fields.map((field) => [field, product[field]])) as unknown as PricingPlan;
