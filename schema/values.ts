import * as v from "valibot";

/** Values that many bodies share. */

export const exampleId = "01930b1c-7d5e-7a3b-8c21-4f9d6e0a1b2c";

export const Id = v.pipe(v.string(), v.description("UUIDv7 (RFC 9562)."), v.examples([exampleId]));

export const Timestamp = v.pipe(
  v.string(),
  v.isoTimestamp(),
  v.description("ISO 8601, UTC, with milliseconds."),
  v.examples(["2026-11-20T09:30:00.000Z"]),
);

export const Version = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(1),
  v.description("Rises by one with each accepted change; the ETag."),
);

/** An integer between two bounds, both included. */
export const integer = (minimum: number, maximum: number) =>
  v.pipe(
    v.number("Must be a number."),
    v.integer("Must be a whole number."),
    v.minValue(minimum, `Must be ${minimum} or more.`),
    v.maxValue(maximum, `Must be ${maximum} or less.`),
  );

/** Makes a bound on a text's length count characters, where valibot counts the halves of those beyond U+FFFF as well. */
function inCharacters<A extends { "~run": unknown; requirement: number }>(
  bound: A,
  holds: (length: number, requirement: number) => boolean,
): A {
  const run = (dataset: { typed: boolean; value: string }, config: never) => {
    if (!dataset.typed) return dataset;
    // Twice the bound is beyond it whatever is in it: a text of megabytes is not taken apart.
    const { length } = dataset.value;
    const characters = length > 2 * bound.requirement ? length : [...dataset.value].length;
    if (!holds(characters, bound.requirement))
      v._addIssue(bound as never, "length", dataset as never, config);
    return dataset;
  };
  return { ...bound, "~run": run };
}

/** Text of a given length in characters. */
export const text = (
  minimum: number,
  maximum: number,
  tooShort = `Must have at least ${minimum} characters.`,
  tooLong = `Must have at most ${maximum} characters.`,
) =>
  v.pipe(
    v.string("Must be text."),
    inCharacters(v.minLength<string, number, string>(minimum, tooShort), (length, bound) => length >= bound),
    inCharacters(v.maxLength<string, number, string>(maximum, tooLong), (length, bound) => length <= bound),
  );

/** Text on one line: without control characters. */
export const line = (minimum: number, maximum: number) =>
  v.pipe(
    text(minimum, maximum),
    v.check((given) => !/\p{Cc}/u.test(given), "Must have no control characters."),
  );

/** Text with line breaks and tabs, and no other control characters. */
export const lines = (minimum: number, maximum: number) =>
  v.pipe(
    text(minimum, maximum),
    v.check(
      (given) => !/[^\P{Cc}\t\r\n]/u.test(given),
      "Must have no control characters but line breaks and tabs.",
    ),
  );

/** An id that another system made: any text of 1 to 64 characters. */
export const ForeignId = text(1, 64, "Must have 1 to 64 characters.", "Must have 1 to 64 characters.");

/** Text in an answer, by an example. */
export const textLike = (example: string) => v.pipe(v.string(), v.examples([example]));

/** Names that valibot leaves out of an object with any members, without a word. */
const lostNames = ["__proto__", "prototype", "constructor"];
const reserved = (input: object) => lostNames.filter((name) => Object.hasOwn(input, name));

/**
 * Makes a schema of objects refuse arrays, which valibot takes for objects, and points at each member that
 * `unwanted` names.
 */
function guarded<S extends v.GenericSchema>(
  schema: S,
  unwanted: (input: object) => string[],
  message: string,
): S {
  const run: S["~run"] = (dataset, config) => {
    const input = dataset.value;
    if (Array.isArray(input)) {
      v._addIssue(schema as never, "type", dataset as never, config);
      return dataset as never;
    }
    const named = typeof input === "object" && input !== null ? unwanted(input) : [];
    const result = schema["~run"](dataset, config);
    for (const key of named) {
      const path = [{ type: "object", origin: "key", input, key, value: undefined }] as never;
      v._addIssue(schema as never, "key", result as never, config, { message, path });
    }
    return result;
  };
  return { ...schema, "~run": run };
}

/** An object with these members and no others. */
export const object = <E extends v.ObjectEntries>(entries: E) =>
  guarded(
    v.strictObject(entries),
    // valibot names the first unknown member alone.
    (input) =>
      Object.keys(input)
        .filter((name) => !Object.hasOwn(entries, name))
        .slice(1, 50),
    "Is not a known field.",
  );

/** An object with these members and any others. */
export const openObject = <E extends v.ObjectEntries>(entries: E) =>
  guarded(v.objectWithRest(entries, v.unknown()), reserved, "Is a reserved name.");

/** An object with any members whose values fit `value`, and their names `name`. */
export const map = <V extends v.GenericSchema>(
  value: V,
  name: v.GenericSchema<string, string> = v.string(),
) => guarded(v.record(name, value), reserved, "Is a reserved name.");

export const FreeMap = map(v.unknown());

/** What a DELETE answers. */
export const Deleted = v.pipe(object({ id: Id, deleted: v.literal(true) }), v.title("Deleted"));

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a text can be an id of ours; anything else is simply not found. */
export const isId = (text: string): boolean => uuid.test(text);

/** Whether a text in ISO 8601 names a moment that there is: no 30 February, which `Date` takes for 2 March. */
export function isTime(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split("-").map(Number);
  return !Number.isNaN(Date.parse(text)) && new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
}
