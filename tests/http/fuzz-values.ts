import fc from "fast-check";
import { neverEchoed } from "../endpoint.ts";

/* Values made from the schemas of an OpenAPI document, and values that fit none. */

export type Schema = Record<string, any>;

/** What a part of the document points at, or the part itself. */
export const resolved = (document: Schema, part: Schema): Schema =>
  typeof part["$ref"] === "string"
    ? part["$ref"]
        .split("/")
        .slice(1)
        .reduce<Schema>((place, key) => place[key], document)
    : part;

/** One choice among others, and how often it is taken. */
export const weighted = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });

/** Text of which no refusal may repeat anything. */
export const telling = fc
  .constantFrom("", "'\"<>&{{", "\u0000", "\r\nX-Evil: 1", "é😀\u202e", "\ud800")
  .map((end) => neverEchoed + end);

/** Where a value of another kind stood. */
export const odd: fc.Arbitrary<unknown> = fc.oneof(
  telling,
  fc.constantFrom<unknown>(
    null,
    true,
    -0,
    0.1,
    -1,
    2 ** 53,
    1e308,
    5e-324,
    "",
    "NaN",
    "-0",
    "1e5",
    "null",
    [],
    {},
    [[]],
  ),
  fc.constantFrom<unknown>("x".repeat(70_000), "\ud800", "a\u0000b", "__proto__", "2026-02-30T00:00:00.000Z"),
  fc.constant(nested(63)),
  fc.constant([neverEchoed, { [neverEchoed]: neverEchoed }]),
  fc.string({ unit: "binary" }),
  fc.double(),
);

/** Arrays in each other. */
function nested(depth: number): unknown {
  return depth === 0 ? neverEchoed : [nested(depth - 1)];
}

/** How often a schema stands in itself before its example takes its place. */
const maxNested = 2;

/** Values that a schema lets in, as far as it says. `around` has the references that it lies in. */
export function inputOf(
  document: Schema,
  part: Schema,
  around: readonly string[] = [],
): fc.Arbitrary<unknown> {
  const reference = part["$ref"];
  if (typeof reference !== "string") return valuesOf(document, part, around);
  const schema = resolved(document, part);
  const nested = around.filter((outer) => outer === reference).length >= maxNested;
  return nested ? fc.constant(schema["example"]) : valuesOf(document, schema, [...around, reference]);
}

function valuesOf(document: Schema, schema: Schema, around: readonly string[]): fc.Arbitrary<unknown> {
  const { enum: members, oneOf, anyOf, nullable, example } = schema;
  if (members) return fc.constantFrom(...members);
  const choices = (oneOf ?? anyOf)?.map((choice: Schema) => inputOf(document, choice, around));
  const usual: fc.Arbitrary<unknown> = choices ? fc.oneof(...choices) : typed(document, schema, around);
  return fc.oneof(
    weighted(4, usual),
    ...(example === undefined ? [] : [weighted(4, fc.constant(example))]),
    ...(nullable ? [weighted(1, fc.constant(null))] : []),
  );
}

function typed(document: Schema, schema: Schema, around: readonly string[]): fc.Arbitrary<unknown> {
  const { minimum = -5, maximum = 1e6 } = schema;
  switch (schema["type"]) {
    case "object":
      return objectOf(document, schema, around);
    case "array":
      return fc.array(inputOf(document, schema["items"], around), { maxLength: 3 });
    case "integer":
      return fc.oneof(fc.integer({ min: minimum, max: maximum }), fc.constantFrom(minimum, maximum));
    case "number":
      return fc.double({ min: minimum, max: maximum, noNaN: true });
    case "boolean":
      return fc.boolean();
    case "string":
      return textOf(schema);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function objectOf(
  document: Schema,
  { properties = {}, required = [], additionalProperties }: Schema,
  around: readonly string[],
) {
  const members = Object.entries<Schema>(properties).map(([name, member]) => [
    name,
    inputOf(document, member, around),
  ]);
  const known = fc.record(Object.fromEntries(members), { requiredKeys: required });
  if (additionalProperties === false) return known;
  const free =
    typeof additionalProperties === "object"
      ? inputOf(document, additionalProperties, around)
      : fc.jsonValue({ maxDepth: 2 });
  return fc
    .tuple(known, fc.dictionary(fc.string({ maxLength: 8 }), free, { maxKeys: 2 }))
    .map(([some, more]) => ({ ...more, ...some }));
}

function textOf({ format, minLength = 0, maxLength = 60 }: Schema): fc.Arbitrary<string> {
  const length = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, 60)) };
  const any = fc.oneof(
    fc.string(length),
    fc.string({ ...length, unit: "grapheme" }),
    fc.constant("x".repeat(maxLength)),
  );
  if (format === "email") {
    const fresh = fc.uuid().map((id) => `${id}@example.com`);
    return fc.oneof(weighted(4, fresh), weighted(1, fc.emailAddress()), weighted(1, any));
  }
  if (format === "date-time")
    return fc.oneof(
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      any,
    );
  return any;
}
