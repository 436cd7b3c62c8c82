import * as v from "valibot";
import { invalid } from "../../schema/errors.ts";

/** Where the next page begins, as opaque text. */
export const writeCursor = (parts: readonly unknown[]): string =>
  Buffer.from(JSON.stringify(parts)).toString("base64url");

/** Reads a cursor that fits `schema`; throws `validation_failed` for any other, and where `read` gives undefined. */
export function readCursor<S extends v.GenericSchema, Position>(
  cursor: string,
  schema: S,
  read: (parts: v.InferOutput<S>) => Position | undefined,
): Position {
  try {
    const parts = JSON.parse(Buffer.from(cursor, "base64url").toString());
    const position = read(v.parse(schema, parts));
    if (position !== undefined) return position;
  } catch {}
  throw invalid([
    { pointer: "query/cursor", message: "Must be the next_cursor of a page with the same sort." },
  ]);
}
