import { toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";
import { type ErrorCode, errorCodes } from "../../schema/errors.ts";
import type { Declaration } from "./endpoint.ts";

type JsonSchema = Record<string, unknown>;

/** JSON Schema of what a client sends or reads (OpenAPI 3.0). Checks that JSON Schema can't say are left out. */
function jsonSchemaOf(schema: v.GenericSchema): JsonSchema {
  const { $schema, ...rest } = toJsonSchema(schema, {
    target: "openapi-3.0",
    typeMode: "input",
    errorMode: "ignore",
  }) as JsonSchema;
  return withExample(rest);
}

/** OpenAPI 3.0 knows one `example` where JSON Schema has `examples`; "Try it out" starts from it. */
function withExample(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (_, value) => {
    if (!Array.isArray(value?.examples)) return value;
    const { examples, ...others } = value;
    return { ...others, example: examples[0] };
  });
}

/** Query parameters, one for each member of a schema. */
function parametersOf(query: v.GenericSchema): JsonSchema[] {
  const { properties = {}, required = [] } = jsonSchemaOf(query) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    in: "query",
    name,
    required: required.includes(name),
    ...(description ? { description } : {}),
    schema,
  }));
}

const text = { type: "string" };
const whole = { type: "integer" };
const objectOf = (properties: Record<string, JsonSchema>, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
});

const requestMeta = { request_id: text, timestamp: { ...text, format: "date-time" } };
const Meta = objectOf(requestMeta);
const ListMeta = objectOf({
  ...requestMeta,
  total: whole,
  page: whole,
  per_page: whole,
  has_more: { type: "boolean" },
  next_cursor: { ...text, nullable: true, description: "The next page's `cursor`; null at the end." },
});

/** RFC 9457, as every refusal is answered. */
export const Problem = {
  ...objectOf(
    {
      type: { ...text, example: "urn:landfall:problem:not_found" },
      title: text,
      status: whole,
      detail: text,
      instance: { ...text, description: "The request path." },
      code: { type: "string", enum: Object.keys(errorCodes) },
      errors: { type: "array", items: objectOf({ pointer: text, message: text }) },
      meta: Meta,
    },
    ["type", "title", "status", "detail", "instance", "code", "meta"],
  ),
};

const meanings: Record<number, string> = {
  200: "Done.",
  201: "Made; `Location` is its path.",
  202: "Accepted; the work goes on after the answer.",
};

/** An endpoint as the OpenAPI document tells of it. */
export function operationOf(declared: Declaration): JsonSchema {
  const { id, summary, description, tag, may, body, query } = declared;
  return {
    operationId: id,
    summary,
    ...(description ? { description } : {}),
    tags: [tag],
    security: may === "anyone" ? [] : [{ bearer: [] }],
    parameters: query ? parametersOf(query) : [],
    ...(body ? { requestBody: bodyOf(body) } : {}),
    responses: answersOf(declared),
  };
}

const bodyOf = (body: v.GenericSchema) => ({
  required: body.type !== "optional",
  content: { "application/json": { schema: jsonSchemaOf(body) } },
});

/** Every status that an operation can answer, with its shape. */
function answersOf(declared: Declaration): Record<string, JsonSchema> {
  const { may, body, query, answer, statuses = [200], list, errors = [] } = declared;
  const schema = objectOf({ data: jsonSchemaOf(answer), meta: list ? ListMeta : Meta });
  const codes: ErrorCode[] = [
    ...errors,
    ...(may === "anyone" ? [] : (["unauthenticated", "token_expired", "forbidden"] as const)),
    ...(body ? (["malformed_json", "unsupported_media_type", "validation_failed"] as const) : []),
    ...(query ? (["validation_failed"] as const) : []),
    "rate_limited",
    "internal",
    "unavailable",
  ];
  const refusals = Map.groupBy([...new Set(codes)], (code) => errorCodes[code][0]);
  return {
    ...Object.fromEntries(
      statuses.map((status) => [
        status,
        { description: meanings[status], content: { "application/json": { schema } } },
      ]),
    ),
    ...Object.fromEntries(
      [...refusals].map(([refused, names]) => [
        refused,
        {
          description: names.map((code) => `\`${code}\`: ${errorCodes[code][1]}.`).join(" "),
          content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
        },
      ]),
    ),
  };
}
