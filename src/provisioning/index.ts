import { Elysia } from "elysia";
import type { Landfall } from "../landfall.ts";
import { overviewRoutes } from "./overview.routes.ts";
import { requestRoutes } from "./requests.routes.ts";

/** The provisioning service. */
export const provisioning = (landfall: Landfall) =>
  new Elysia().use(requestRoutes(landfall)).use(overviewRoutes(landfall));
