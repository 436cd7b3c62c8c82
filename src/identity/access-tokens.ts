import jwt from "jsonwebtoken";
import * as v from "valibot";
import { ServiceError } from "../../schema/errors.ts";
import { type Caller, roles } from "../../schema/permissions.ts";
import type { World } from "../../schema/world.ts";
import { accessTokenSeconds } from "./key-turns.ts";
import { openSigningKeys, type SigningKey } from "./signing-keys.ts";

/** Makes and checks access tokens: ES256 JWTs (RFC 7519, RFC 7518). */
export interface AccessTokens {
  issue(caller: Caller): string;
  /** Throws `unauthenticated`, or `token_expired`. Waits only for a key that it does not know yet. */
  verify(token: string): Caller | Promise<Caller>;
  /** The public keys (RFC 7517). */
  jwks(): { keys: Record<string, string>[] };
  /** Ends the turning of the keys. */
  stop(): Promise<void>;
}

const Claims = v.object({
  sub: v.string(),
  tenantId: v.nullable(v.string()),
  roles: v.array(v.picklist(roles)),
  kind: v.picklist(["user", "service"]),
  exp: v.number(),
});

const maxRemembered = 10_000;

/** Opens the signing keys, and makes the first one. */
export async function openAccessTokens(
  world: World,
  { issuer, audience }: { issuer: string; audience: string },
): Promise<AccessTokens> {
  const keys = await openSigningKeys(world);
  // Checking a signature takes longer than most requests; a token that was good stays so until it or its key ends.
  const good = new Map<string, { caller: Caller; exp: number; kid: string }>();

  function check(token: string, { id: kid, publicKey }: SigningKey): Caller {
    try {
      const claims = jwt.verify(token, publicKey, {
        algorithms: ["ES256"],
        issuer,
        audience,
        clockTimestamp: Math.floor(world.now().getTime() / 1000),
      });
      const { sub, tenantId, roles, kind, exp } = v.parse(Claims, claims);
      const caller = { id: sub, kind, tenantId, roles };
      if (good.size >= maxRemembered) good.clear();
      good.set(token, { caller, exp, kid });
      return caller;
    } catch (error) {
      if (error instanceof jwt.TokenExpiredError)
        throw new ServiceError("token_expired", "The access token has expired.");
      throw refused;
    }
  }
  /** By a key that another program has made just now, perhaps. */
  async function checkLater(token: string, kid: string): Promise<Caller> {
    await keys.reload();
    const key = keys.find(kid);
    if (!key) throw refused;
    return check(token, key);
  }
  return {
    issue({ id, kind, tenantId, roles }) {
      const key = keys.current();
      const iat = Math.floor(world.now().getTime() / 1000);
      return jwt.sign({ tenantId, roles, kind, iat, exp: iat + accessTokenSeconds }, key.privateKey, {
        algorithm: "ES256",
        keyid: key.id,
        subject: id,
        issuer,
        audience,
        jwtid: world.newId(),
      });
    },
    verify(token) {
      const known = good.get(token);
      if (known && known.exp * 1000 > world.now().getTime() && keys.find(known.kid)) return known.caller;
      const kid = kidOf(token);
      if (kid === undefined) throw refused;
      const key = keys.find(kid);
      return key ? check(token, key) : checkLater(token, kid);
    },
    jwks: () => ({
      keys: keys.all().map(({ id, publicJwk }) => ({ ...publicJwk, kid: id, use: "sig", alg: "ES256" })),
    }),
    stop: () => keys.stop(),
  };
}

function kidOf(token: string): string | undefined {
  try {
    return jwt.decode(token, { complete: true })?.header.kid;
  } catch {
    return undefined;
  }
}

const refused = new ServiceError(
  "unauthenticated",
  "The access token is not valid.",
  {},
  { "WWW-Authenticate": 'Bearer error="invalid_token"' },
);
