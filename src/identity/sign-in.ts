import { eq } from "drizzle-orm";
import { session } from "../../actors/identity/session.ts";
import { user } from "../../actors/identity/user.ts";
import { ServiceError, wrongCredentials } from "../../schema/errors.ts";
import { type RefreshToken, sessions } from "../../schema/identity/session.ts";
import { type Login, type Register, type UserState, users } from "../../schema/identity/user.ts";
import type { Caller } from "../../schema/permissions.ts";
import type { Call } from "../http/call.ts";
import type { Landfall } from "../landfall.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { sentApiKey } from "./authenticate.ts";
import { accessTokenSeconds } from "./key-turns.ts";
import { newRefreshToken, openRefreshToken } from "./refresh-tokens.ts";
import { checkPassword, hashPassword } from "./secrets.ts";
import { userView } from "./users.views.ts";

/** A new tenant with its first user, signed in. */
export async function register({ world }: Landfall, tokens: AccessTokens, call: Call, body: Register) {
  const { email, name, password, tenantName = name } = body;
  call.actAs("identity");
  const passwordHash = await hashPassword(password);
  const { session, token } = newRefreshToken(world);
  const input = { email, name, passwordHash, tenantName, roles: [], session };
  const state = await call.send(user.register, undefined, input, (state) => state, 201);
  call.location = "/api/identity/me";
  return signedIn(tokens, state, token);
}

/** An unknown address and a wrong password look and last the same. */
export async function login(
  { world }: Landfall,
  tokens: AccessTokens,
  call: Call,
  { email, password }: Login,
) {
  const [found] = await world.db.select().from(users).where(eq(users.email, email));
  const right = await checkPassword(password, found?.passwordHash);
  if (!found || !right) throw wrongCredentials();
  call.actAs("identity");
  const { session, token } = newRefreshToken(world);
  const input = { session, passwordHash: found.passwordHash };
  const state = await call.send(user["sign-in"], found.id, input, (state) => state);
  return signedIn(tokens, state, token);
}

/** The next pair of tokens. A refresh token that was used before ends its session, with all that came of it. */
export async function refresh(
  { world }: Landfall,
  tokens: AccessTokens,
  call: Call,
  { refreshToken }: RefreshToken,
) {
  const opened = openRefreshToken(world, refreshToken);
  if (!opened) throw refused();
  const { sessionId, hash: usedHash } = opened;
  const { token, session: next } = newRefreshToken(world, sessionId);
  // Whose it is, before it counts as used: what fails afterwards costs the client its session.
  const [found] = await world.db
    .select({ user: users })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(eq(sessions.id, sessionId));
  if (!found) throw refused();
  call.actAs("identity");
  const rotated = await call
    .send(session.rotate, sessionId, { usedHash, next }, (state) => state)
    .catch(nullIfGone);
  if (!rotated) throw refused();
  if (rotated.endedAt) {
    const { requestId } = call;
    world.log.warn("session ended by a refresh", { requestId, sessionId, userId: rotated.userId });
    throw refused();
  }
  return signedIn(tokens, found.user, token);
}

const refused = () => new ServiceError("unauthenticated", "The refresh token is not valid.");

/** Sessions are forgotten some time after their end. */
function nullIfGone(error: unknown): null {
  if (error instanceof ServiceError && error.code === "not_found") return null;
  throw error;
}

/** Ends the session of a token; as in RFC 7009, one that means nothing is as good as revoked. */
export async function logout({ world }: Landfall, call: Call, { refreshToken }: RefreshToken) {
  const opened = openRefreshToken(world, refreshToken);
  call.actAs("identity");
  if (opened) await call.send(session.end, opened.sessionId, {}, () => null).catch(nullIfGone);
  return { revoked: true as const };
}

/** A token for another service, for its API key. */
export async function serviceToken(landfall: Landfall, tokens: AccessTokens, call: Call) {
  const { id, kind } = await sentApiKey(landfall, call.request);
  if (kind !== "service") throw new ServiceError("forbidden", "This key is not of kind service.");
  return token(tokens, { id, kind, tenantId: null, roles: [] });
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
