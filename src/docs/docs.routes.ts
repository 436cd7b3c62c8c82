import { dirname } from "node:path";
import { swagger } from "@elysiajs/swagger";
import { Elysia } from "elysia";
import { ServiceError } from "../../schema/errors.ts";
import { contentSecurityPolicy } from "../gateway/headers.ts";
import type { Landfall } from "../landfall.ts";
import { groupsOf } from "../work.ts";
import { asyncApi } from "./asyncapi.ts";
import { complete, preamble } from "./openapi.ts";
import { page, pagePolicy, start } from "./page.ts";

const assets = new Map(
  Object.entries({
    "swagger-ui.css": "text/css",
    "swagger-ui-bundle.js": "text/javascript",
    "favicon-32x32.png": "image/png",
  }),
);

const assetFolder = dirname(Bun.resolveSync("swagger-ui-dist/package.json", import.meta.dir));

const answer = (body: string | Blob, type: string) =>
  new Response(body, { headers: { "Content-Type": type } });

const hidden = { detail: { hide: true } };

/** The OpenAPI document at `/api/docs/json`: each route's own word for itself, gathered by the plugin and completed. */
function openApi() {
  let document: string | undefined;
  return new Elysia()
    .onAfterHandle(({ responseValue }) => {
      document ??= JSON.stringify(complete(responseValue as Parameters<typeof complete>[0]));
      return answer(document, "application/json");
    })
    .use(
      swagger({
        path: "/api/docs",
        specPath: "/api/docs/json",
        exclude: [/^\/api\/v1\//, /^\/health$/],
        excludeStaticFile: false,
        documentation: preamble,
      }),
    );
}

/** The documents, and the Swagger page at `/api/docs`; it needs no network. */
export const docsRoutes = (landfall: Landfall) => {
  const { name, value } = contentSecurityPolicy(landfall.config.IDENTITY_PROVIDER_ORIGINS);
  const pageHeaders = { "Content-Type": "text/html; charset=utf-8", [name]: value + pagePolicy };
  const events = once(() => asyncApi(landfall.world.platform, groupsOf(landfall)));
  return new Elysia()
    .use(openApi())
    .get("/api/docs/asyncapi.json", () => answer(events(), "application/json"), hidden)
    .get("/api/docs", () => new Response(page, { headers: pageHeaders }), hidden)
    .get("/api/docs/assets/start.js", () => answer(start, "text/javascript"), hidden)
    .get(
      "/api/docs/assets/:name",
      ({ params: { name } }) => {
        const type = assets.get(name);
        if (!type) throw new ServiceError("not_found", "There is no such path.");
        return answer(Bun.file(`${assetFolder}/${name}`), type);
      },
      hidden,
    );
};

/** A document that is written when it is first asked for. */
function once(write: () => object): () => string {
  let text: string | undefined;
  return () => {
    text ??= JSON.stringify(write());
    return text;
  };
}
