import { Elysia } from "elysia";
import * as v from "valibot";
import { ProviderHealth } from "../../schema/provisioning/cluster-bodies.ts";
import { endpoint } from "../http/endpoint.ts";
import { idiom } from "../http/idiom.ts";
import { allOf } from "../http/paging.ts";
import type { Landfall } from "../landfall.ts";
import { openProviderHealth } from "./provider-health.ts";

export const providerHealthRoutes = (landfall: Landfall) => {
  const providerHealth = openProviderHealth(landfall);
  return new Elysia({ prefix: "/provisioning/providers" }).use(idiom(landfall)).get(
    "/health",
    async ({ call }) => allOf(call, await providerHealth()),
    endpoint({
      id: "getProviderHealth",
      tag: "Clusters",
      may: "clusters",
      summary: "Check health of all registered cloud providers",
      description:
        "Every registered cluster, the oldest first, in one answer without pages, within 5 seconds. A result is told again for 15 seconds.",
      answer: v.array(ProviderHealth),
      list: true,
    }),
  );
};
