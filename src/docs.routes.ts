import { dirname } from "node:path";
import { swagger } from "@elysiajs/swagger";
import { Elysia } from "elysia";
import { ServiceError } from "../schema/errors.ts";
import { Problem } from "./http/openapi.ts";

const assets: Record<string, string> = {
  "swagger-ui.css": "text/css",
  "swagger-ui-bundle.js": "text/javascript",
  "favicon-32x32.png": "image/png",
};

const assetFolder = dirname(Bun.resolveSync("swagger-ui-dist/package.json", import.meta.dir));

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Landfall API</title>
<link rel="stylesheet" href="/api/docs/assets/swagger-ui.css">
<link rel="icon" href="/api/docs/assets/favicon-32x32.png">
</head>
<body>
<div id="page"></div>
<script src="/api/docs/assets/swagger-ui-bundle.js"></script>
<script src="/api/docs/assets/start.js"></script>
</body>
</html>`;

const start = `SwaggerUIBundle({
  url: "/api/docs/json",
  dom_id: "#page",
  deepLinking: true,
  persistAuthorization: true,
  displayRequestDuration: true,
  docExpansion: "list",
});`;

/** The page runs what we serve and nothing else. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'self'";

const answer = (body: string | Blob, type: string) =>
  new Response(body, { headers: { "Content-Type": type, "Content-Security-Policy": contentSecurityPolicy } });

const hidden = { detail: { hide: true } };

/** The OpenAPI document at `/api/docs/json` and the Swagger page at `/api/docs`; it needs no network. */
export const docsRoutes = () =>
  new Elysia()
    .use(
      swagger({
        path: "/api/docs",
        specPath: "/api/docs/json",
        exclude: [/^\/api\/v1\//, /^\/api\/docs/, /^\/health$/],
        excludeStaticFile: false,
        documentation: {
          info: {
            title: "Landfall",
            version: "1",
            description:
              "Order cloud resources and follow them until they run. Sign in with `POST /api/identity/auth/login`, press **Authorize** and paste the access token. Every path is served under `/api/v1` too.",
          },
          components: {
            schemas: { Problem: Problem as never },
            securitySchemes: { bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" } },
          },
        },
      }),
    )
    .get("/api/docs", () => answer(page, "text/html; charset=utf-8"), hidden)
    .get("/api/docs/assets/start.js", () => answer(start, "text/javascript"), hidden)
    .get(
      "/api/docs/assets/:name",
      ({ params: { name } }) => {
        const type = assets[name];
        if (!type) throw new ServiceError("not_found", "There is no such path.");
        return answer(Bun.file(`${assetFolder}/${name}`), type);
      },
      hidden,
    );
