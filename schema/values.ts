import * as v from "valibot";

/** Values that many bodies share. */

export const Id = v.pipe(
  v.string(),
  v.description("UUIDv7 (RFC 9562)."),
  v.examples(["01930b1c-7d5e-7a3b-8c21-4f9d6e0a1b2c"]),
);

/** An id that another system made: any text of 1 to 64 characters. */
export const ForeignId = v.pipe(
  v.string(),
  v.minLength(1, "Must have 1 to 64 characters."),
  v.maxLength(64, "Must have 1 to 64 characters."),
);

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

/** Text of a given length in characters. */
export const text = (minimum: number, maximum: number) =>
  v.pipe(
    v.string("Must be text."),
    v.minLength(minimum, `Must have at least ${minimum} characters.`),
    v.maxLength(maximum, `Must have at most ${maximum} characters.`),
  );

/** Makes a schema of objects refuse arrays, which valibot takes for objects. */
function guarded<S extends v.GenericSchema>(schema: S): S {
  const run: S["~run"] = (dataset, config) => {
    if (!Array.isArray(dataset.value)) return schema["~run"](dataset, config);
    v._addIssue(schema as never, "type", dataset as never, config);
    return dataset as never;
  };
  return { ...schema, "~run": run };
}

/** An object with these members and no others. */
export const object = <E extends v.ObjectEntries>(entries: E) => guarded(v.strictObject(entries));

/** An object with these members and any others. */
export const openObject = <E extends v.ObjectEntries>(entries: E) =>
  guarded(v.objectWithRest(entries, v.unknown()));

/** An object with any members whose values fit `value`. */
export const map = <V extends v.GenericSchema>(value: V) => guarded(v.record(v.string(), value));

export const FreeMap = map(v.unknown());

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a text can be an id of ours; anything else is simply not found. */
export const isId = (text: string): boolean => uuid.test(text);
