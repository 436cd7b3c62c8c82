import { createHash } from "node:crypto";
import type { Once } from "../../actors/runtime/mailbox.ts";
import { idempotencyMismatch, invalid, ServiceError } from "../../schema/errors.ts";
import type { Vault } from "../../schema/world.ts";
import type { Landfall } from "../landfall.ts";
import { type Call, withoutSlash } from "./call.ts";

/** What makes a POST with an `Idempotency-Key` count once; null without one, and for callers without a token. */
export function onceOf<State>(
  vault: Vault,
  { request, caller, path, body }: Call,
  answer: (state: State) => unknown,
  status: number,
): Once<State> | null {
  const key = request.headers.get("idempotency-key");
  if (key === null || request.method !== "POST" || caller.kind === "system") return null;
  if (key.length < 1 || key.length > 255)
    throw invalid([{ pointer: "header/Idempotency-Key", message: "Must have 1 to 255 characters." }]);
  const plainPath = withoutSlash(path).replace("/api/v1/", "/api/");
  return {
    id: sha256(JSON.stringify([caller.kind, caller.id, request.method, plainPath, key])),
    // Keyed: a body may hold a password, which a plain hash would let others guess.
    fingerprint: vault.mac(JSON.stringify(body ?? null) + new URL(request.url).search),
    status,
    answer,
  };
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** Does the work of a key that nobody is at work on; to wait for another's answer is the client's affair. */
export async function alone<T>(
  underWay: Landfall["underWay"],
  { id, fingerprint }: Once<never>,
  work: () => Promise<T>,
): Promise<T> {
  const other = underWay.get(id);
  if (other !== undefined && other !== fingerprint) throw idempotencyMismatch();
  if (other !== undefined) {
    const headers = { "Retry-After": "1" };
    throw new ServiceError(
      "idempotency_in_progress",
      "The request with this key is still running.",
      {},
      headers,
    );
  }
  underWay.set(id, fingerprint);
  try {
    return await work();
  } finally {
    underWay.delete(id);
  }
}
