import * as v from "valibot";
import { Id, integer, object, textLike } from "../values.ts";
import { Product } from "./product.ts";

const count = integer(0, Number.MAX_SAFE_INTEGER);
const values = (example: string, times: number) =>
  v.pipe(v.array(object({ value: v.string(), count })), v.examples([[{ value: example, count: times }]]));

/** How all that a search finds is spread, on whatever page. */
export const Facets = v.pipe(
  object({
    category: values("compute", 12),
    tier: values("standard", 7),
    currency: values("USD", 12),
    price: v.pipe(
      v.array(object({ from: v.nullable(v.number()), to: v.nullable(v.number()), count })),
      v.description("By monthly price: `from` is included, `to` is not; null where there is no bound."),
      v.examples([[{ from: 10, to: 25, count: 9 }]]),
    ),
  }),
  v.title("Facets"),
);
export type Facets = v.InferOutput<typeof Facets>;

export const Suggestion = v.pipe(
  object({
    id: Id,
    sku: textLike("VM-STD-4"),
    name: textLike("Standard VM 4"),
    category: textLike("compute"),
    highlight: v.pipe(
      textLike("<mark>Stand</mark>ard VM 4"),
      v.description(
        "The name (the sku, where that alone was meant) as HTML, escaped, with what was found in `<mark>`.",
      ),
    ),
  }),
  v.title("Suggestion"),
);
export type Suggestion = v.InferOutput<typeof Suggestion>;

export const CategoryCount = v.pipe(
  object({ category: textLike("compute"), count }),
  v.title("CategoryCount"),
);
export type CategoryCount = v.InferOutput<typeof CategoryCount>;

const shown = Product.pipe[0].entries;
export const PricingPlan = v.pipe(
  object({
    id: shown.id,
    name: shown.name,
    category: shown.category,
    monthlyPrice: shown.monthlyPrice,
    hourlyPrice: shown.hourlyPrice,
    currency: shown.currency,
    features: shown.features,
    tier: shown.tier,
    isPopular: shown.isPopular,
    ctaText: shown.ctaText,
    ctaAction: shown.ctaAction,
  }),
  v.title("PricingPlan"),
);
export type PricingPlan = v.InferOutput<typeof PricingPlan>;
