import { Elysia } from "elysia";
import type { Landfall } from "../landfall.ts";
import { approvalRuleRoutes } from "./approval-rules.routes.ts";
import { approvalRoutes } from "./approvals.routes.ts";
import { clusterRoutes } from "./clusters.routes.ts";
import { overviewRoutes } from "./overview.routes.ts";
import { providerHealthRoutes } from "./provider-health.routes.ts";
import { quotaRoutes } from "./quotas.routes.ts";
import { requestRoutes } from "./requests.routes.ts";

/** The provisioning service. */
export const provisioning = (landfall: Landfall) =>
  new Elysia()
    .use(requestRoutes(landfall))
    .use(overviewRoutes(landfall))
    .use(clusterRoutes(landfall))
    .use(providerHealthRoutes(landfall))
    .use(quotaRoutes(landfall))
    .use(approvalRoutes(landfall))
    .use(approvalRuleRoutes(landfall));
