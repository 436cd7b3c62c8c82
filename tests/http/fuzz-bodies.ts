import fc from "fast-check";
import { neverEchoed } from "../endpoint.ts";
import { odd, type Schema, weighted } from "./fuzz-values.ts";

/* Bodies: as a schema says, changed in some places, or none at all. */

type Change = { at: number; how: "replace" | "drop" | "add" | "wrap"; key: string; value: unknown };
const changes: fc.Arbitrary<Change[]> = fc.array(
  fc.record({
    at: fc.nat(),
    how: fc.constantFrom("replace", "drop", "add", "wrap"),
    key: fc.constantFrom("__proto__", "constructor", "toString", "id", "tenantId", "status", "", "a/b~c"),
    value: odd,
  }),
  { minLength: 1, maxLength: 3 },
);

/** A value with some of its places changed. */
function changed(value: unknown, list: Change[]): unknown {
  const root: Schema = { value: structuredClone(value) };
  for (const { at, how, key: added, value } of list) {
    const places = placesIn(root);
    const [holder, key] = places[at % places.length] as [Schema, string];
    const here = holder[key];
    const one = structuredClone(value);
    if (how === "drop" && holder !== root) delete holder[key];
    else if (how === "wrap") holder[key] = [here];
    else if (how === "add" && typeof here === "object" && here !== null) define(here, added, one);
    else holder[key] = one;
  }
  return root["value"];
}

/** Sets a member of any name, `__proto__` too. */
const define = (holder: object, key: string, value: unknown) =>
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });

function placesIn(holder: Schema): [Schema, string][] {
  return Object.keys(holder).flatMap((key) => [
    [holder, key],
    ...(typeof holder[key] === "object" && holder[key] !== null ? placesIn(holder[key]) : []),
  ]);
}

/** Bodies that are no JSON, or JSON that nobody would write. */
const oddBodies = fc.constantFrom<string | Uint8Array>(
  ...[
    "{",
    "{}}",
    `{"${neverEchoed}"}`,
    "NaN",
    "[Infinity]",
    "\ufeff{}",
    "null",
    "[]",
    "5",
    `"${neverEchoed}"`,
    " ",
  ],
  `${'{"a":'.repeat(65)}1${"}".repeat(65)}`,
  "[".repeat(100_000),
  '{"name":1,"name":"two"}',
  '{"name":1e999,"code":-0,"output":{"n":123456789012345678901234567890}}',
  Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
);

/** A body with its media type; null sends none. */
export interface Body {
  type: string | null;
  body: string | Uint8Array | null;
}

/** Bodies that are mostly as `valid` says, or mostly absent where none is `wanted`. */
export function bodyOf(valid: fc.Arbitrary<unknown>, wanted: boolean): fc.Arbitrary<Body> {
  const json = "application/json";
  const sent = (value: unknown): Body => ({ type: json, body: JSON.stringify(value) ?? "null" });
  const none = fc.constant<Body>({ type: null, body: null });
  return fc.oneof(
    weighted(wanted ? 1 : 12, none),
    weighted(wanted ? 8 : 1, valid.map(sent)),
    weighted(
      wanted ? 8 : 1,
      fc.tuple(valid, changes).map(([value, list]) => sent(changed(value, list))),
    ),
    weighted(
      2,
      oddBodies.map((body) => ({ type: json, body })),
    ),
    weighted(
      1,
      fc.tuple(types, valid).map(([type, value]) => ({ ...sent(value), type })),
    ),
  );
}

const types = fc.constantFrom(
  ...[
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonx",
  ],
  ...[
    "APPLICATION/JSON; charset=utf-8",
    "application/json;",
    "application/json, text/plain",
    neverEchoed,
    "/",
  ],
);
