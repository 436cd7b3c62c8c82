import { Elysia } from "elysia";
import type { Landfall } from "../landfall.ts";
import { Call, Replay, withoutSlash } from "./call.ts";
import { problem } from "./problems.ts";

const calls = new WeakMap<Request, Call>();

/** The call under way with a request; every part of the program that sees the request finds the same one. */
export function callOf(landfall: Landfall, request: Request): Call {
  const known = calls.get(request);
  if (known) return known;
  const call = new Call(landfall, request);
  calls.set(request, call);
  return call;
}

/** What every route gets for free: ids, JSON, the envelope, problems. Each file of routes uses it; Elysia applies it once. */
export function idiom(landfall: Landfall) {
  const { log } = landfall.world;
  return (
    new Elysia({ name: "idiom" })
      // Each endpoint reads its own body; Elysia would take what it knows for JSON, forms and files.
      .onParse({ as: "global" }, () => null)
      .derive({ as: "global" }, ({ request }) => ({ call: callOf(landfall, request) }))
      .mapResponse({ as: "global" }, ({ responseValue, call, set }) => {
        if (!call?.enveloped || responseValue instanceof Response) return;
        return envelope(call, responseValue, Number(set.status ?? 200));
      })
      .onError({ as: "global" }, ({ error, request }) => {
        const call = callOf(landfall, request);
        if (error instanceof Replay) return envelope(call, error.data, error.status, replayed);
        return problem(error, call, log);
      })
  );
}

const replayed = { "Idempotency-Replayed": "true" };

/** Puts an answer into its envelope, with its version as ETag and, for something new, its place. */
function envelope(call: Call, data: unknown, status: number, headers: Record<string, string> = {}): Response {
  if (isKnown(call)) return new Response(null, { status: 304, headers: call.headers });
  const timestamp = new Date().toISOString();
  const meta = { request_id: call.requestId, timestamp, ...call.meta };
  const { id, version } = (data ?? {}) as { id?: string; version?: number };
  return new Response(JSON.stringify({ data, meta }), {
    status,
    headers: {
      ...headers,
      "Content-Type": "application/json",
      "Cache-Control": "no-store",
      ...call.headers,
      ...(typeof version === "number" ? { ETag: `"${version}"` } : {}),
      ...(status === 201 ? { Location: call.location ?? `${withoutSlash(call.path)}/${id}` } : {}),
    },
  });
}

/** Whether the client has the answer already: of those that name their own ETag (RFC 9110, 13.1.2). */
function isKnown({ request, headers: { ETag } }: Call): boolean {
  const given = ETag && request.headers.get("if-none-match");
  const tags = given ? given.split(",").map(opaque) : [];
  return tags.includes("*") || tags.includes(opaque(ETag ?? ""));
}

const opaque = (tag: string) => tag.trim().replace(/^W\//, "");
