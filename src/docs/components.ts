import { exampleId } from "../../schema/values.ts";
import type { Declaration } from "../http/endpoint.ts";
import { createSchemas, type JsonSchema, type Schemas } from "./schemas.ts";

/** A place of the API, and what its route says of itself. */
export interface Operation {
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  readonly declared: Declaration;
}

/** What the operations of a document share; filled while they are written. */
export interface Components {
  readonly schemas: Schemas;
  readonly responses: Record<string, JsonSchema>;
}

export const createComponents = (): Components => ({ schemas: createSchemas("openapi-3.0"), responses: {} });

const text = (description: string, example: string) => ({
  description,
  schema: { type: "string" },
  example,
});

/** The headers that answers promise. */
export const headers: Record<string, JsonSchema> = {
  "X-Request-ID": text(
    "Names the request in the log; taken from the request where it is well-formed.",
    exampleId,
  ),
  ETag: text("The record's `version`, for `If-Match`.", '"1"'),
  Location: text("Path of the new record.", `/api/provisioning/requests/${exampleId}`),
  "Cache-Control": text("How long the answer may be kept, and by whom.", "public, max-age=60"),
  Deprecation: text("Since when the endpoint is deprecated, in Unix time (RFC 9745).", "@1767225600"),
  Link: text("What has taken its place.", '</api/products>; rel="successor-version"'),
  "Idempotency-Replayed": {
    description: "There, where the answer was stored with the `Idempotency-Key` and is given again.",
    schema: { type: "string", enum: ["true"] },
  },
  "Retry-After": {
    description: "Seconds after which it is worth asking again.",
    schema: { type: "integer", minimum: 1 },
    example: 1,
  },
  "WWW-Authenticate": text(
    "RFC 6750; names the error where a token was sent.",
    'Bearer error="invalid_token"',
  ),
};

export const headerNamed = (name: keyof typeof headers) => ({
  [name]: { $ref: `#/components/headers/${name}` },
});

/** The headers that requests may carry. */
export const parameters = {
  IfMatch: {
    in: "header",
    name: "If-Match",
    description: "The `ETag` that you have seen: refused with 412 when the record has changed since.",
    schema: { type: "string" },
    example: '"1"',
  },
  IdempotencyKey: {
    in: "header",
    name: "Idempotency-Key",
    description:
      "1 to 255 characters of your choice. For 24 hours the same key, path and body gets the stored answer instead of doing it again.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
    example: "8e03978e-40d5-43e8-bc93-6894a57f9324",
  },
};

export const parameterNamed = (name: keyof typeof parameters) => ({
  $ref: `#/components/parameters/${name}`,
});
