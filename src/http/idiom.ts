import { Elysia } from "elysia";
import { ServiceError } from "../../schema/errors.ts";
import { gatewayHeaders } from "../gateway/headers.ts";
import type { Landfall } from "../landfall.ts";
import { Call, Replay } from "./call.ts";
import { problem } from "./problems.ts";

const idShape = /^[A-Za-z0-9._-]{1,128}$/;

/** Reads a JSON body; anything else under a route that wants one is 415, broken JSON is 400. */
async function parseJson({
  request,
  contentType,
}: {
  request: Request;
  contentType: string;
}): Promise<unknown> {
  const text = await request.text();
  if (text === "") return null;
  if (contentType.toLowerCase() !== "application/json") {
    throw new ServiceError("unsupported_media_type", "The body must be application/json.");
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceError("malformed_json", "The body is not valid JSON.");
  }
}

/** The calls under way; every part of the program that sees a request finds the same one. */
const calls = new WeakMap<Request, Call>();

/** What every route gets for free: ids, JSON, the envelope, problems. Each file of routes uses it; Elysia applies it once. */
export function idiom(landfall: Landfall) {
  const { world, config } = landfall;
  const headers = gatewayHeaders(config.IDENTITY_PROVIDER_ORIGINS);
  const callOf = (request: Request): Call => {
    const known = calls.get(request);
    if (known) return known;
    const requestId = accepted(request.headers.get("x-request-id")) ?? world.newId();
    const correlationId = accepted(request.headers.get("x-correlation-id")) ?? requestId;
    const call = new Call(landfall, request, new URL(request.url).pathname, requestId, correlationId);
    calls.set(request, call);
    return call;
  };
  return new Elysia({ name: "idiom" })
    .onRequest(({ request, set }) => {
      Object.assign(set.headers, headers, { "X-Request-ID": callOf(request).requestId });
    })
    .onParse({ as: "global" }, parseJson)
    .derive({ as: "global" }, ({ request }) => ({ call: callOf(request) }))
    .mapResponse({ as: "global" }, ({ responseValue, call, set }) => {
      if (!call?.enveloped || responseValue instanceof Response) return;
      return envelope(call, responseValue, Number(set.status ?? 200), set.headers as Record<string, string>);
    })
    .onError({ as: "global" }, ({ error, code, request, set }) => {
      const call = callOf(request);
      const headers = set.headers as Record<string, string>;
      if (error instanceof Replay)
        return envelope(call, error.data, error.status, { ...headers, "Idempotency-Replayed": "true" });
      const answer = problem(refusalOf(code, error), call, world.log);
      for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
      return answer;
    });
}

const accepted = (id: string | null) => (id !== null && idShape.test(id) ? id : null);

/** What was thrown by us: Elysia has errors of its own around it, or in its place. */
function refusalOf(code: string | number, error: unknown): unknown {
  if (code === "NOT_FOUND") return new ServiceError("not_found", "There is no such path.");
  return code === "PARSE" ? (error as Error).cause : error;
}

/** Puts an answer into its envelope, with its version as ETag and, for something new, its place. */
function envelope(call: Call, data: unknown, status: number, headers: Record<string, string>): Response {
  const timestamp = new Date().toISOString();
  const meta = { request_id: call.requestId, timestamp, ...call.page };
  const { id, version } = (data ?? {}) as { id?: string; version?: number };
  return new Response(JSON.stringify({ data, meta }), {
    status,
    headers: {
      ...headers,
      "Content-Type": "application/json",
      ...(typeof version === "number" ? { ETag: `"${version}"` } : {}),
      ...(status === 201 ? { Location: call.location ?? `${call.path}/${id}` } : {}),
    },
  });
}
