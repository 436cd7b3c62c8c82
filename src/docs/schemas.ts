import { toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";

export type JsonSchema = Record<string, unknown>;

/** The schemas of one document. What has a title stands once in `named`, and by reference everywhere else. */
export interface Schemas {
  readonly named: Record<string, JsonSchema>;
  /** What is sent, or with `output` what it is read as. Checks that JSON Schema can't say are left out. */
  of(schema: v.GenericSchema, typeMode?: "input" | "output"): JsonSchema;
}

/** OpenAPI 3.0 has a dialect of its own: one `example`, `nullable`, no `const`. AsyncAPI has draft 07. */
export type Dialect = "openapi-3.0" | "draft-07";

export function createSchemas(target: Dialect): Schemas {
  const named: Record<string, JsonSchema> = {};
  const finish = target === "openapi-3.0" ? inOpenApi : (schema: JsonSchema) => schema;

  /** Takes the titled schemas out, the inner ones first. `titles` has the names of the recursive ones. */
  const placed = (schema: JsonSchema, titles: Record<string, string>): JsonSchema => {
    if (typeof schema["$ref"] === "string") return referTo(titles[schema["$ref"].replace("#/$defs/", "")]);
    const { title, ...whole } = finish(withParts(schema, (part) => placed(part, titles)));
    // OpenAPI 3.0 knows no reference that may be null.
    if (typeof title !== "string" || whole["nullable"] === true) return whole;
    const known = named[title];
    if (known && !Bun.deepEquals(known, whole)) throw new Error(`Two schemas are called ${title}.`);
    named[title] = whole;
    return referTo(title);
  };
  return {
    named,
    of(schema, typeMode = "input") {
      const {
        $schema,
        $defs = {},
        ...root
      } = toJsonSchema(schema, { target, typeMode, errorMode: "ignore" });
      const recursive = Object.entries($defs as Record<string, JsonSchema>);
      const titles = Object.fromEntries(recursive.map(([name, { title }]) => [name, title as string]));
      for (const [, inner] of recursive) placed(inner, titles);
      return placed(root as JsonSchema, titles);
    },
  };
}

function referTo(name: string | undefined): JsonSchema {
  if (name === undefined) throw new Error("A schema that holds itself needs a title.");
  return { $ref: `#/components/schemas/${name}` };
}

/** The schema that a reference names, or the schema itself. */
export const lookUp = ({ named }: Schemas, schema: JsonSchema): JsonSchema =>
  typeof schema["$ref"] === "string" ? (named[schema["$ref"].split("/").at(-1) as string] ?? {}) : schema;

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A schema with each of the schemas directly in it put through `change`. */
function withParts(schema: JsonSchema, change: (part: JsonSchema) => JsonSchema): JsonSchema {
  const changed = (keyword: string, value: unknown): unknown => {
    switch (keyword) {
      case "properties":
        return Object.fromEntries(
          Object.entries(value as Record<string, JsonSchema>).map(([name, part]) => [name, change(part)]),
        );
      case "anyOf":
      case "oneOf":
      case "allOf":
        return (value as JsonSchema[]).map(change);
      case "items":
      case "not":
      case "additionalProperties":
        return isSchema(value) ? change(value) : value;
      default:
        return value;
    }
  };
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, changed(keyword, value)]),
  );
}

/** What the converter leaves open: one `example`, a type beside each `enum` and null among its members, no empty `required`. */
function inOpenApi({ examples, required, ...schema }: JsonSchema): JsonSchema {
  const finished = { ...schema };
  if (Array.isArray(required) && required.length > 0) finished["required"] = required;
  if (Array.isArray(examples)) finished["example"] = examples[0];
  const members = schema["enum"];
  if (Array.isArray(members)) {
    finished["type"] ??= typeof members[0];
    if (schema["nullable"] === true) finished["enum"] = [...members, null];
  }
  return finished;
}
