import { Elysia } from "elysia";
import { docsRoutes } from "./docs/docs.routes.ts";
import { idiom } from "./http/idiom.ts";
import { routed } from "./http/routed.ts";
import type { AccessTokens } from "./identity/access-tokens.ts";
import { identity } from "./identity/index.ts";
import type { Landfall } from "./landfall.ts";
import { gatewayProbe, probeRoutes } from "./probes.routes.ts";
import type { Catalogue } from "./products/catalogue.ts";
import { products } from "./products/index.ts";
import { provisioning } from "./provisioning/index.ts";

/** All doors of the house: answers a request. Does no I/O by itself. */
export function createApp(landfall: Landfall, tokens: AccessTokens, catalogue: Catalogue) {
  const services = () =>
    new Elysia()
      .use(probeRoutes(landfall))
      .use(identity(landfall, tokens))
      .use(provisioning(landfall))
      .use(products(landfall, catalogue));
  const app = new Elysia()
    .use(idiom(landfall))
    .use(gatewayProbe(landfall))
    .use(docsRoutes(landfall))
    .group("/api", (api) => api.use(services()))
    .group("/api/v1", (api) => api.use(services()));
  return routed(app);
}
