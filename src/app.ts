import { Elysia } from "elysia";
import { docsRoutes } from "./docs.routes.ts";
import { idiom } from "./http/idiom.ts";
import type { AccessTokens } from "./identity/access-tokens.ts";
import { identity } from "./identity/index.ts";
import type { Landfall } from "./landfall.ts";
import { gatewayProbe, probeRoutes } from "./probes.routes.ts";
import { provisioning } from "./provisioning/index.ts";

/** All doors of the house. Does no I/O by itself. */
export function createApp(landfall: Landfall, tokens: AccessTokens) {
  const services = () =>
    new Elysia().use(probeRoutes(landfall)).use(identity(landfall, tokens)).use(provisioning(landfall));
  return new Elysia()
    .use(idiom(landfall))
    .use(gatewayProbe(landfall))
    .use(docsRoutes())
    .group("/api", (api) => api.use(services()))
    .group("/api/v1", (api) => api.use(services()));
}
