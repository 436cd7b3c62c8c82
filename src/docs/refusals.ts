import { type ErrorCode, errorCodes } from "../../schema/errors.ts";
import { exampleId } from "../../schema/values.ts";
import { placeOf } from "../gateway/prefixes.ts";
import { Problem } from "./answers.ts";
import { type Components, headerNamed, type Operation } from "./components.ts";
import type { JsonSchema } from "./schemas.ts";

/** The codes that an operation can be refused with. */
function codesOf({ method, path, declared }: Operation, namesTenant: boolean): ErrorCode[] {
  const { may, errors = [], apiKey = false } = declared;
  const { zone, throttledBy } = placeOf(method, path);
  const token = may !== "anyone";
  const when = (holds: boolean, ...codes: ErrorCode[]) => (holds ? codes : []);
  return [
    ...when(zone !== null || throttledBy !== null, "rate_limited"),
    "bad_request",
    ...when(method !== "GET", "body_too_large", "unsupported_media_type", "malformed_json"),
    ...when(token, "unauthenticated", "token_expired", "forbidden"),
    ...when(apiKey, "unauthenticated", "forbidden"),
    "validation_failed",
    ...when(token && namesTenant, "tenant_mismatch"),
    ...errors,
    ...when(token && method === "POST", "idempotency_mismatch", "idempotency_in_progress"),
    "internal",
    "unavailable",
  ];
}

/** Every status that an operation can be refused with. Operations that are refused alike share the answer. */
export function refusalsOf(
  components: Components,
  operation: Operation,
  namesTenant: boolean,
): Record<string, JsonSchema> {
  const codes = [...new Set(codesOf(operation, namesTenant))];
  const byStatus = Map.groupBy(codes.sort(), (code) => errorCodes[code][0]);
  return Object.fromEntries(
    [...byStatus].map(([status, alike]) => {
      const name = alike.map(pascal).join("Or");
      components.responses[name] ??= refusal(components, status, alike);
      return [status, { $ref: `#/components/responses/${name}` }];
    }),
  );
}

const pascal = (code: string) => code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

const headersOf: Record<number, string> = {
  401: "WWW-Authenticate",
  423: "Retry-After",
  429: "Retry-After",
  503: "Retry-After",
};

function refusal(components: Components, status: number, codes: ErrorCode[]): JsonSchema {
  const header = headersOf[status];
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCodes[code][1]}.`).join(" "),
    headers: { ...headerNamed("X-Request-ID"), ...(header ? headerNamed(header) : {}) },
    content: {
      "application/problem+json": {
        schema: components.schemas.of(Problem),
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  };
}

/** What some refusals say beside the others. */
const more: Partial<Record<ErrorCode, object>> = {
  validation_failed: { errors: [{ pointer: "/specification/vcpu", message: "Must be 256 or less." }] },
  invalid_transition: { from: "ACTIVE", command: "start", allowed: ["suspend", "delete"] },
  quota_exceeded: { dimension: "maxVcpu", limit: 40, used: 38, requested: 4 },
  in_use: { count: 3 },
};

const exampleOf = (code: ErrorCode) => ({
  type: `urn:landfall:problem:${code}`,
  title: errorCodes[code][1],
  status: errorCodes[code][0],
  detail: `${errorCodes[code][1]}.`,
  instance: "/api/provisioning/requests",
  code,
  ...more[code],
  meta: { request_id: exampleId, timestamp: "2026-11-20T09:30:00.000Z" },
});
