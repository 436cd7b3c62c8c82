import { type JsonSchema, lookUp, type Schemas } from "./schemas.ts";

/**
 * A value that fits a schema: its own example where it has one, else one put together from its members. `whole`
 * names every member, as answers do; else the required ones and those with an example of their own.
 */
export function exampleOf(schemas: Schemas, schema: JsonSchema, whole: boolean): unknown {
  const found = lookUp(schemas, schema);
  const own = ownExample(found);
  if (own !== undefined) return own;
  const [choice] = (found["oneOf"] ?? found["anyOf"] ?? []) as JsonSchema[];
  if (choice) return exampleOf(schemas, choice, whole);
  switch (found["type"]) {
    case "object":
      return exampleObject(schemas, found, whole);
    case "array":
      return [exampleOf(schemas, found["items"] as JsonSchema, whole)];
    case "boolean":
      return false;
    case "integer":
    case "number":
      return found["minimum"] ?? 1;
    case "string":
      return "text";
    default:
      return {};
  }
}

/** What the schema says itself; null for what is most often not there. */
function ownExample({ example, examples, default: usual, enum: members, const: only, nullable }: JsonSchema) {
  if (example !== undefined) return example;
  if (Array.isArray(examples)) return examples[0];
  if (nullable === true) return null;
  return only ?? usual ?? (members as unknown[] | undefined)?.[0];
}

function exampleObject(schemas: Schemas, schema: JsonSchema, whole: boolean): Record<string, unknown> {
  const members = Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>);
  const required = (schema["required"] ?? []) as string[];
  const shown = members.filter(
    ([name, member]) => whole || required.includes(name) || ownExample(lookUp(schemas, member)) !== undefined,
  );
  return Object.fromEntries(shown.map(([name, member]) => [name, exampleOf(schemas, member, whole)]));
}
