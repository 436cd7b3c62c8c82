import { eq } from "drizzle-orm";
import { apiKey, isWorthNoting } from "../../actors/identity/api-key.ts";
import { originOf } from "../../actors/runtime/actor.ts";
import { ServiceError } from "../../schema/errors.ts";
import { type ApiKeyState, apiKeys } from "../../schema/identity/api-key.ts";
import type { Caller } from "../../schema/permissions.ts";
import type { Landfall } from "../landfall.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { hashOf } from "./secrets.ts";

type Keyed = Pick<Landfall, "world" | "mailbox">;

/** Tells who makes a request: by its Bearer token or, where it has none, by the API key of a tenant. */
export const authenticator =
  (landfall: Keyed, tokens: AccessTokens): Landfall["authenticate"] =>
  (request) => {
    const token = /^Bearer (.+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
    if (token) return tokens.verify(token);
    if (request.headers.has("x-api-key")) return tenantOf(landfall, request);
    throw new ServiceError(
      "unauthenticated",
      "Send an access token as a Bearer token, or an API key in X-API-Key.",
    );
  };

/** A key acts as a user of its tenant without a role; its scopes narrow that. */
async function tenantOf(landfall: Keyed, request: Request): Promise<Caller> {
  const { id, kind, tenantId, scopes } = await sentApiKey(landfall, request);
  if (kind !== "tenant")
    throw new ServiceError("unauthenticated", "A key of kind service is only exchanged for a service token.");
  return { id, kind: "user", tenantId, roles: [], ...(scopes?.length ? { scopes } : {}) };
}

/** The API key of a request. It is read each time, so that a deleted one is of no more use. Throws `unauthenticated`. */
export async function sentApiKey({ world, mailbox }: Keyed, { headers }: Request): Promise<ApiKeyState> {
  const keyHash = hashOf(headers.get("x-api-key") ?? "");
  const [found] = await world.db.select().from(apiKeys).where(eq(apiKeys.keyHash, keyHash));
  const now = world.now();
  if (!found || (found.expiresAt && found.expiresAt <= now))
    throw new ServiceError("unauthenticated", "The header X-API-Key must hold a valid key.");
  if (isWorthNoting(found, now)) {
    const origin = originOf("identity", { requestId: found.id, correlationId: found.id });
    // Nobody waits for it, and the next use makes up for one that was not noted.
    mailbox
      .send(apiKey.use, { id: found.id, input: {}, origin })
      .catch((error) => world.log.debug("a key's use was not noted", { error }));
  }
  return found;
}
