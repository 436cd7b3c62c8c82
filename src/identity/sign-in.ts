import { eq } from "drizzle-orm";
import { apiKey } from "../../actors/identity/api-key.ts";
import { type NewSession, user } from "../../actors/identity/user.ts";
import { ServiceError } from "../../schema/errors.ts";
import { apiKeys } from "../../schema/identity/api-key.ts";
import { type Login, type Register, type UserState, users } from "../../schema/identity/user.ts";
import type { Caller } from "../../schema/permissions.ts";
import type { Call } from "../http/call.ts";
import type { Landfall } from "../landfall.ts";
import { type AccessTokens, accessTokenSeconds } from "./access-tokens.ts";
import { checkPassword, hashOf, hashPassword, newSecret } from "./secrets.ts";
import { userView } from "./users.views.ts";

const refreshTokenMs = 7 * 24 * 3600 * 1000;

/** A new tenant with its first user, signed in. */
export async function register(landfall: Landfall, tokens: AccessTokens, call: Call, body: Register) {
  const { email, name, password, tenantName = name } = body;
  call.actAs("identity");
  const passwordHash = await hashPassword(password);
  const { session, refreshToken } = newSession(landfall);
  const input = { email, name, passwordHash, tenantName, roles: [], session };
  const state = await call.send(user.register, undefined, input, (state) => state, 201);
  call.location = "/api/identity/me";
  return signedIn(tokens, state, refreshToken);
}

/** An unknown address and a wrong password look and last the same. */
export async function login(
  landfall: Landfall,
  tokens: AccessTokens,
  call: Call,
  { email, password }: Login,
) {
  const [found] = await landfall.world.db.select().from(users).where(eq(users.email, email));
  const right = await checkPassword(password, found?.passwordHash);
  if (!found || !right || found.disabled)
    throw new ServiceError("invalid_credentials", "The address or the password is wrong.");
  call.actAs("identity");
  const { session, refreshToken } = newSession(landfall);
  const state = await call.send(user["sign-in"], found.id, session, (state) => state);
  return signedIn(tokens, state, refreshToken);
}

/** A token for another service, for its API key. */
export async function serviceToken(landfall: Landfall, tokens: AccessTokens, call: Call) {
  const key = call.request.headers.get("x-api-key");
  const [found] = key
    ? await landfall.world.db
        .select()
        .from(apiKeys)
        .where(eq(apiKeys.keyHash, hashOf(key)))
    : [];
  if (!found) throw new ServiceError("unauthenticated", "The header X-API-Key must hold a valid key.");
  if (found.kind !== "service") throw new ServiceError("forbidden", "This key is not of kind service.");
  call.actAs("identity");
  await call.send(apiKey.use, found.id, {}, () => null);
  return token(tokens, { id: found.id, kind: "service", tenantId: null, roles: [] });
}

function newSession({ world }: Landfall): { session: NewSession; refreshToken: string } {
  const { secret, hash } = newSecret("");
  return {
    session: { tokenHash: hash, expiresAt: new Date(world.now().getTime() + refreshTokenMs) },
    refreshToken: secret,
  };
}

const token = (tokens: AccessTokens, caller: Caller) => ({
  accessToken: tokens.issue(caller),
  tokenType: "Bearer" as const,
  expiresIn: accessTokenSeconds,
});

function signedIn(tokens: AccessTokens, state: UserState, refreshToken: string) {
  const { id, tenantId, roles } = state;
  return { user: userView(state), ...token(tokens, { id, kind: "user", tenantId, roles }), refreshToken };
}
