import * as v from "valibot";
import { permissions, roles } from "../../schema/permissions.ts";
import { exampleId } from "../../schema/values.ts";
import type { Declaration } from "../http/endpoint.ts";
import { ListMeta, Meta } from "./answers.ts";
import { type Components, headerNamed, type Operation, parameterNamed } from "./components.ts";
import { exampleOf } from "./examples.ts";
import { refusalsOf } from "./refusals.ts";
import { type JsonSchema, lookUp, type Schemas } from "./schemas.ts";

/** An operation as the OpenAPI document tells of it. */
export function describe(components: Components, operation: Operation): JsonSchema {
  const { declared } = operation;
  const { schemas } = components;
  const body = declared.body && schemas.of(declared.body);
  const query = declared.query && schemas.of(declared.query, "output");
  const namesTenant =
    operation.path.includes("{tenantId}") ||
    [body, query].some((schema) => schema && hasMember(schemas, schema, "tenantId"));
  return {
    operationId: declared.id,
    summary: declared.summary,
    description: [declared.description, whoMay(declared)].filter(Boolean).join("\n\n"),
    tags: [declared.tag],
    ...(declared.deprecated ? { deprecated: true } : {}),
    security: securityOf(declared),
    parameters: [
      ...pathParameters(operation.path),
      ...(query ? queryParameters(schemas, query) : []),
      ...headerParameters(operation),
    ],
    ...(body ? { requestBody: bodyOf(schemas, body, declared) } : {}),
    responses: { ...answersOf(components, operation), ...refusalsOf(components, operation, namesTenant) },
  };
}

function hasMember(schemas: Schemas, schema: JsonSchema, name: string): boolean {
  const { properties = {}, oneOf = [] } = lookUp(schemas, schema) as {
    properties?: object;
    oneOf?: JsonSchema[];
  };
  return name in properties || oneOf.some((choice) => hasMember(schemas, choice, name));
}

/** The row of the permission table, in words. */
function whoMay({ may, apiKey }: Declaration): string {
  if (apiKey) return "Takes an API key in place of a token.";
  if (may === "anyone") return "Needs no token.";
  const grant: { tenant?: true; staff: readonly string[]; services?: true; scope?: string } =
    permissions[may];
  const who = [
    ...(grant.tenant ? ["the tenant's users"] : []),
    ...(grant.staff.length > 0 ? [staff(grant.staff)] : []),
    ...(grant.services ? ["services"] : []),
  ];
  const key = grant.scope ? ` An API key with scopes needs \`${grant.scope}\`.` : "";
  return `**Who may:** ${who.join("; ")}.${key}`;
}

const staff = (some: readonly string[]) =>
  some.length === roles.length ? "all staff" : `staff (${some.join(", ")})`;

/** A key acts as a user of its tenant, so it opens what those may do. */
function securityOf({ may, apiKey }: Declaration): object[] {
  if (apiKey) return [{ apiKey: [] }];
  if (may === "anyone") return [];
  return [{ bearer: [] }, ...("tenant" in permissions[may] ? [{ apiKey: [] }] : [])];
}

/** What the names in paths stand for. */
const inPath: Record<string, { description: string; example: string }> = {
  id: { description: "The record's id.", example: exampleId },
  orderId: { description: "The order's id, as it was given with the request.", example: "order-1" },
  provisioningRequestId: { description: "The provisioning request's id.", example: exampleId },
  tenantId: { description: "The tenant's id; another than yours is for staff.", example: exampleId },
  resourceType: { description: "A resource type.", example: "VM" },
};

const pathParameters = (path: string) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    in: "path",
    name,
    required: true,
    ...inPath[name],
    schema: { type: "string" },
  }));

/** One parameter for each member of the query's schema. */
function queryParameters(schemas: Schemas, query: JsonSchema): JsonSchema[] {
  const { properties = {}, required = [] } = lookUp(schemas, query) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, member]) => {
    const { description, example, ...schema } = withReadDefault(member);
    return {
      in: "query",
      name,
      required: required.includes(name),
      description,
      schema,
      example: example ?? exampleOf(schemas, schema, true),
    };
  });
}

/** A default is written as it would be sent, as text. */
const withReadDefault = (schema: JsonSchema): JsonSchema =>
  schema["type"] === "integer" && "default" in schema
    ? { ...schema, default: Number(schema["default"]) }
    : schema;

const headerParameters = ({ method, declared: { may, errors = [] } }: Operation) => [
  ...(errors.includes("precondition_failed") ? [parameterNamed("IfMatch")] : []),
  ...(method === "POST" && may !== "anyone" ? [parameterNamed("IdempotencyKey")] : []),
];

const bodyOf = (schemas: Schemas, schema: JsonSchema, { body, takes }: Declaration) => ({
  required: body?.type !== "optional",
  content: takes
    ? texts(takes)
    : { "application/json": { schema, example: exampleOf(schemas, schema, false) } },
});

const texts = (examples: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(examples).map(([mediaType, example]) => [
      mediaType,
      { schema: { type: "string" }, example },
    ]),
  );

const meanings: Record<number, string> = {
  200: "Done.",
  201: "Made; `Location` is its path.",
  202: "Accepted; the work goes on after the answer.",
  304: "Nothing new since the `ETag` in `If-None-Match`; no body.",
};

function answersOf({ schemas }: Components, { method, declared }: Operation): Record<string, JsonSchema> {
  const { statuses = [200], may, answer, bare, gives, list, meta, headers = [] } = declared;
  const data = schemas.of(answer);
  const about = list ? ListMeta : Meta;
  const schema = bare
    ? data
    : inEnvelope(data, schemas.of(meta ? v.object({ ...about.pipe[0].entries, ...meta }) : about));
  const content = { "application/json": { schema, example: exampleOf(schemas, schema, true) } };
  const described = (status: number) => ({
    description: meanings[status],
    headers: {
      ...headerNamed("X-Request-ID"),
      ...Object.assign({}, ...headers.map(headerNamed)),
      ...(hasMember(schemas, data, "version") ? headerNamed("ETag") : {}),
      ...(status === 201 ? headerNamed("Location") : {}),
      ...(method === "POST" && may !== "anyone" ? headerNamed("Idempotency-Replayed") : {}),
    },
    ...(status === 304 ? {} : { content: gives ? texts(gives) : content }),
  });
  return Object.fromEntries(statuses.map((status) => [status, described(status)]));
}

const inEnvelope = (data: JsonSchema, meta: JsonSchema) => ({
  type: "object",
  properties: { data, meta },
  required: ["data", "meta"],
});
