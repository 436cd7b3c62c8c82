import { Elysia } from "elysia";
import type { Landfall } from "../landfall.ts";
import type { Catalogue } from "./catalogue.ts";
import { pricingPlanRoutes } from "./pricing-plans.routes.ts";
import { productRoutes } from "./products.routes.ts";
import { searchRoutes } from "./search.routes.ts";
import { transferRoutes } from "./transfer.routes.ts";

/** The product service. */
export const products = (landfall: Landfall, catalogue: Catalogue) =>
  new Elysia()
    .use(pricingPlanRoutes(landfall, catalogue))
    .use(searchRoutes(landfall, catalogue))
    .use(transferRoutes(landfall))
    .use(productRoutes(landfall));
