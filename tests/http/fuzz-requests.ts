import fc from "fast-check";
import { neverEchoed } from "../endpoint.ts";
import { bodyOf } from "./fuzz-bodies.ts";
import { inputOf, odd, resolved, type Schema, telling, weighted } from "./fuzz-values.ts";

/* Requests made from an OpenAPI document: some as it says, some nearly so, some not at all. */

/** A request as it is sent. */
export interface Sent {
  /** What stands for each name in the path, percent-encoded. */
  segment: string;
  /** The query, with its question mark, or nothing. */
  query: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
}

/** Requests to an operation. `targets` are ids of records that are there. */
export function requestsTo(document: Schema, operation: Schema, targets: string[]): fc.Arbitrary<Sent> {
  const parameters: Schema[] = operation["parameters"].map((part: Schema) => resolved(document, part));
  const inQuery = parameters.filter((parameter) => parameter["in"] === "query");
  const content = operation["requestBody"]?.content ?? {};
  const schema = content["application/json"]?.schema;
  const json = bodyOf(schema ? inputOf(document, schema) : fc.constant({}), schema !== undefined);
  const texts = Object.entries<Schema>(content).filter(([, { schema }]) => schema["type"] === "string");
  const body = texts.length > 0 ? fc.oneof(weighted(6, textOf(texts)), weighted(1, json)) : json;
  return fc
    .record({ segment: segmentOf(targets), query: queryOf(document, inQuery), headers, body })
    .map(({ segment, query, headers, body: { type, body } }) => ({
      segment,
      query,
      headers: { ...(type === null ? {} : { "Content-Type": type }), ...headers },
      ...(body === null ? {} : { body }),
    }));
}

/** The example of a text, as it is or with something behind it. */
const textOf = (texts: [type: string, told: Schema][]) =>
  fc
    .tuple(fc.constantFrom(...texts), fc.constantFrom("", ",", '"', "{}\n", "[1\n", "a,b\r\n"), telling)
    .map(([[type, told], odd, word]) => ({ type, body: `${told["example"]}${odd}${odd && word}` }));

const longPath = "x".repeat(3000);

/** What stands for a name in the path: an id that is there, or anything at all. */
const segmentOf = (targets: string[]) =>
  fc.oneof(
    ...(targets.length > 0 ? [weighted(6, fc.constantFrom(...targets))] : []),
    weighted(1, fc.uuid()),
    weighted(
      1,
      fc.constantFrom(
        "%0d%0aX-Evil:1",
        "%00",
        "%2F",
        "a%2fb",
        "%5c",
        "...",
        "%25",
        "~",
        "'",
        "*",
        ":id",
        longPath,
      ),
    ),
    weighted(
      1,
      fc
        .string({ unit: "grapheme", minLength: 3, maxLength: 20 })
        .map((text) => encodeURIComponent(`-${text}`)),
    ),
  );

function queryOf(document: Schema, parameters: Schema[]): fc.Arbitrary<string> {
  const asSaid = parameters.map(({ name, schema, example, required }) =>
    fc.oneof(
      weighted(required ? 0 : 12, fc.constant([])),
      weighted(
        required ? 8 : 4,
        fc.oneof(inputOf(document, schema), fc.constant(example)).map((value) => [[name, String(value)]]),
      ),
      weighted(
        1,
        odd.map((value) => [[name, String(value)]]),
      ),
      weighted(
        1,
        telling.map((value) => [
          [name, value],
          [name, value],
        ]),
      ),
    ),
  );
  const unknown = fc.oneof(
    weighted(20, fc.constant([])),
    weighted(
      1,
      fc.tuple(fc.constantFrom("nope", "__proto__", "", "limit[]", "\u0000"), telling).map((pair) => [pair]),
    ),
  );
  return fc.tuple(...asSaid, unknown).map((groups) => {
    const pairs = groups.flat() as [string, string][];
    const text = pairs
      .map((pair) => pair.map((part) => encodeURIComponent(part.toWellFormed())).join("="))
      .join("&");
    return text === "" ? "" : `?${text.slice(0, 4000)}`;
  });
}

const printable = fc.string({ unit: "grapheme-ascii", maxLength: 20 });
const header = (...values: string[]) => fc.oneof(fc.constantFrom(...values), printable);

/** The headers that a program looks at; most often none of them is there. */
const headers = fc
  .array(
    fc.oneof(
      ...Object.entries({
        "If-Match": header('"1"', '"2"', "*", '"1", "2"', 'W/"1"', '"01"', `"${neverEchoed}"`, ","),
        "Idempotency-Key": header("k1", "k2", " ", "x".repeat(255), "x".repeat(256), neverEchoed),
        "X-Request-ID": header("id-1", "x".repeat(128), "x".repeat(129), "<script>"),
        "X-Correlation-ID": header("id-2", "a b"),
        traceparent: header("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-0-0-0"),
        "X-API-Key": header("lf_x", neverEchoed),
        Accept: header("*/*", "text/html", "application/xml"),
        "X-Forwarded-For": header("1.2.3.4", "1.2.3.4, ::1"),
        Origin: header("https://example.com", "null"),
      }).map(([name, value]) => value.map((text) => [name, text] as const)),
    ),
    { maxLength: 2 },
  )
  .map((some) => Object.fromEntries(some));
