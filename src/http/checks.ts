import * as v from "valibot";
import { type FieldError, invalid } from "../../schema/errors.ts";
import type { Call } from "./call.ts";

/* Holds what was sent, and what is answered, against schemas. A refusal says what is wanted, and nothing of what came. */

type Schema = v.GenericSchema;

interface Checked {
  output: unknown;
  faults: FieldError[];
}

const maxFaults = 100;

/**
 * What a schema makes of a value, or the places where it does not fit: of a large value the first alone, so that
 * a body of a million faults costs no more than another.
 */
export function checked(schema: Schema, value: unknown, place: string, large = false): Checked {
  const given = value ?? undefined;
  const first = v.safeParse(schema, given, { abortEarly: true });
  if (first.success) return { output: first.output, faults: [] };
  const { issues = first.issues } = large ? first : v.safeParse(schema, given);
  const faults = issues.slice(0, maxFaults).map((issue) => ({
    pointer: pointerTo(issue, place),
    message: messageOf(issue),
  }));
  return { output: undefined, faults };
}

const largeBytes = 65_536;
/** Whether a body is so large that one fault of it is enough; one of unknown length counts as large. */
export const isLarge = ({ request }: Call) =>
  !(Number(request.headers.get("content-length") ?? Infinity) <= largeBytes);

/** The query as it was sent; Elysia would split and parse its values. A name that comes twice has no one value. */
export function queryOf({ request }: Call): Record<string, string> {
  const at = request.url.indexOf("?");
  if (at === -1) return {};
  const parameters = new URLSearchParams(request.url.slice(at));
  const query: Record<string, string> = Object.fromEntries(parameters);
  const names = Object.keys(query);
  if (names.length < parameters.size) {
    const twice = names.filter((name) => parameters.getAll(name).length > 1);
    refuse(twice.map((name) => ({ pointer: `query/${name}`, message: "Must be given once." })));
  }
  return query;
}

/** Says what is wanted and never what was sent. Messages of our own schemas are taken as they are. */
function messageOf({ message, expected, received }: v.BaseIssue<unknown>): string {
  if (received === "undefined") return "Is required.";
  if (!message.startsWith("Invalid ")) return message;
  return expected === "never" ? "Is not a known field." : `Must be ${expected ?? "valid"}.`;
}

/** An answer that does not fit its own schema is a fault of ours. */
export function checkAnswer(schema: Schema, value: unknown): void {
  if (value instanceof Response) return;
  const { success, issues } = v.safeParse(schema, value);
  if (success) return;
  const faults = issues.map((issue) => `${v.getDotPath(issue)} ${issue.message}`);
  throw new Error(`An answer does not fit its schema: ${faults.join("; ")}`);
}

/** Refuses a request that has any fault. */
export function refuse(faults: FieldError[]): void {
  if (faults.length > 0) throw invalid(faults.slice(0, maxFaults));
}

/** A name as a JSON pointer holds it (RFC 6901). */
export const escapeKey = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

function pointerTo(issue: v.BaseIssue<unknown>, place: string): string {
  const keys = (issue.path ?? []).map(({ key }) => escapeKey(String(key)));
  if (place && keys.length === 0) return place.slice(0, -1);
  return place ? place + keys.join("/") : keys.map((key) => `/${key}`).join("");
}
