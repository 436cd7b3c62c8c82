import type { NewSession } from "../../actors/identity/user.ts";
import { isId } from "../../schema/values.ts";
import type { World } from "../../schema/world.ts";
import { hashOf, newSecret } from "./secrets.ts";

const refreshTokenMs = 7 * 24 * 3600 * 1000;

/**
 * A refresh token names its session, so that one which was used before is known for what it is. It is sealed:
 * nobody can make one up, so nobody ends a session without having held a token of it.
 */
export function newRefreshToken(
  world: World,
  sessionId = world.newId(),
): { token: string; session: NewSession } {
  const { secret, hash } = newSecret("");
  return {
    token: Buffer.from(world.vault.seal(`${sessionId}.${secret}`), "base64").toString("base64url"),
    session: {
      id: sessionId,
      tokenHash: hash,
      expiresAt: new Date(world.now().getTime() + refreshTokenMs),
    },
  };
}

/** The session of a token and what is stored of it; null for what is no token of ours. */
export function openRefreshToken(world: World, token: string): { sessionId: string; hash: string } | null {
  try {
    const sealed = Buffer.from(token, "base64url").toString("base64");
    const [sessionId = "", secret = ""] = world.vault.open(sealed).split(".");
    return isId(sessionId) ? { sessionId, hash: hashOf(secret) } : null;
  } catch {
    return null;
  }
}
