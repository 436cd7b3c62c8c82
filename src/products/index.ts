import { Elysia } from "elysia";
import type { Landfall } from "../landfall.ts";
import { productRoutes } from "./products.routes.ts";

/** The product service. */
export const products = (landfall: Landfall) => new Elysia().use(productRoutes(landfall));
