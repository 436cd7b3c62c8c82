import type { Declaration } from "../http/endpoint.ts";
import { createComponents, headers, parameters } from "./components.ts";
import { describe } from "./operations.ts";
import type { JsonSchema } from "./schemas.ts";

const description = `Find cloud resources in the catalogue, order them and follow them until they run.

**From nothing to a running machine.** Register with \`POST /api/identity/auth/register\` or sign in with
\`POST /api/identity/auth/login\`, press **Authorize** and paste the \`accessToken\` into *bearer*. Order a machine
with \`POST /api/provisioning/requests\` (\`tenantId\` is the \`tenantId\` of the user you signed in as), have an ADMIN
or OPS start it with \`POST /api/provisioning/requests/{id}/start\`, and read
\`GET /api/provisioning/requests/{id}\` until its status is \`ACTIVE\`.

**What is for sale.** \`GET /api/products/search?q=…\` finds products while somebody types, misspelt words too, and
counts what it found by category, tier, currency and price; \`/suggest\` completes what is typed. A whole catalogue
comes in with \`POST /api/products/import\` and goes out with \`GET /api/products/export\`.

**Between the order and the machine.** A request is placed on a cluster that takes its type, has its region and has
room, counts against its tenant's quota at once (\`quota_exceeded\` says which limit it would pass), and waits in
\`PENDING_APPROVAL\` where an approval rule matches it: \`GET /api/approvals/pending\`.

**Answers.** What you asked for is in \`data\`; \`meta.request_id\` (also the header \`X-Request-ID\`) finds the request
in the log. Send \`X-Request-ID\`, \`X-Correlation-ID\` or \`traceparent\` to choose the ids yourself.

**Refusals** are \`application/problem+json\` (RFC 9457). Programs look at \`code\`; \`errors\` points at each field
that is not valid. Unknown fields and unknown query parameters are refused.

**Lists** take \`limit\`, \`sort\` and \`cursor\`: as long as \`meta.has_more\` is true, ask again with
\`cursor=<meta.next_cursor>\`. A walk by cursor meets each row once, whatever is added meanwhile. Instead of the
cursor, \`offset\` or \`page\` go 10,000 rows deep.

**Doing it once.** Send an \`Idempotency-Key\` with a POST, and repeating it within 24 hours gives the first answer
again instead of doing it again.

**Versions.** Records carry a \`version\`, which is their \`ETag\`. Send it back as \`If-Match\`, and the command is
refused with 412 when somebody else was faster.

Every path is served under \`/api/v1\` too. This document is at \`/api/docs/json\`; the events are described at
\`/api/docs/asyncapi.json\`.`;

const tags = [
  { name: "Sign-in", description: "Accounts and access tokens: 15 minutes, renewed with a refresh token." },
  { name: "API keys", description: "Credentials of a tenant for its programs; they outlive users." },
  { name: "Users", description: "The people of a tenant; ADMIN and SECURITY see those of all." },
  {
    name: "Provisioning requests",
    description:
      "A resource on its way through Allocate, Configure, Activate and Verify, and its life after.",
  },
  {
    name: "Clusters",
    description: "The infrastructure that requests are placed on, and whether it can be worked with.",
  },
  {
    name: "Approvals",
    description:
      "Requests that a rule holds back until people have decided, and the rules that say which and how many.",
  },
  {
    name: "Quotas",
    description: "How much a tenant may hold of each resource type, and what it holds.",
  },
  {
    name: "Products",
    description:
      "What is for sale. Customers see what is `active`; ADMIN and PRODUCT look after the catalogue.",
  },
  {
    name: "Product search",
    description: "Finds products while somebody types; a change is found within a second.",
  },
  { name: "Probes", description: "Whether the program runs, and whether it can work." },
];

const securitySchemes = {
  bearer: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "The `accessToken` of a sign-in.",
  },
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
    description: "A key of `POST /api/identity/api-keys`; it begins with `lf_`.",
  },
};

/** What the document says of the API as a whole. */
export const preamble = {
  info: {
    title: "Landfall",
    version: "1",
    description,
    contact: { name: "The operators of this Landfall", url: "/api/docs" },
    license: { name: "As agreed with the operators of this Landfall", url: "/api/docs" },
  },
  servers: [{ url: "/", description: "The Landfall that serves this document." }],
};

interface Told {
  paths: Record<string, Record<string, { declared?: () => Declaration }>>;
  [member: string]: unknown;
}

/** Puts the description of each operation in the place of what its route says of itself. */
export function complete(told: Told): JsonSchema {
  const components = createComponents();
  const paths = Object.entries(told.paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, { declared }]) => {
        if (!declared) throw new Error(`${method} ${path} is no endpoint().`);
        return [method, describe(components, { method: method.toUpperCase(), path, declared: declared() })];
      }),
    ),
  ]);
  const { responses, schemas } = components;
  return {
    ...told,
    tags,
    paths: Object.fromEntries(paths),
    components: { schemas: schemas.named, responses, parameters, headers, securitySchemes },
  };
}
