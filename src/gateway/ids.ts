import { randomBytes } from "node:crypto";
import type { World } from "../../schema/world.ts";

/** By what a request is found again in logs, events and audit. */
export interface RequestIds {
  readonly requestId: string;
  /** Follows the work that comes of it; the request's own id where no other was given. */
  readonly correlationId: string;
}

const idShape = /^[A-Za-z0-9._-]{1,128}$/;
/** W3C Trace Context, version 00: no part may be all zeros. */
const traceShape = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Takes the ids that a request brings where they are well-formed, makes the others, and writes them on the request. */
export function nameRequest({ headers }: Request, world: World): RequestIds {
  const requestId = wellFormed(headers.get("x-request-id"), idShape) ?? world.newId();
  const correlationId = wellFormed(headers.get("x-correlation-id"), idShape) ?? requestId;
  const trace = wellFormed(headers.get("traceparent"), traceShape) ?? newTrace();
  headers.set("x-request-id", requestId);
  headers.set("x-correlation-id", correlationId);
  headers.set("traceparent", trace);
  return { requestId, correlationId };
}

const wellFormed = (value: string | null, shape: RegExp): string | null =>
  value !== null && shape.test(value) ? value : null;

function newTrace(): string {
  const random = randomBytes(24).toString("hex");
  return `00-${random.slice(0, 32)}-${random.slice(32)}-01`;
}
