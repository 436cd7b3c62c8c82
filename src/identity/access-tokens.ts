import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { asc } from "drizzle-orm";
import jwt from "jsonwebtoken";
import * as v from "valibot";
import { ServiceError } from "../../schema/errors.ts";
import { signingKeys } from "../../schema/identity/signing-key.ts";
import { type Caller, roles } from "../../schema/permissions.ts";
import type { World } from "../../schema/world.ts";

/** Seconds that an access token is valid. */
export const accessTokenSeconds = 900;

/** Makes and checks access tokens: ES256 JWTs (RFC 7519, RFC 7518). */
export interface AccessTokens {
  issue(caller: Caller): string;
  /** Throws `unauthenticated`, or `token_expired`. */
  verify(token: string): Caller;
  /** The public keys (RFC 7517). */
  jwks(): { keys: Record<string, string>[] };
}

const Claims = v.object({
  sub: v.string(),
  tenantId: v.nullable(v.string()),
  roles: v.array(v.picklist(roles)),
  kind: v.picklist(["user", "service"]),
  exp: v.number(),
});

const maxRemembered = 10_000;

/** Loads the signing keys, and makes the first one. */
export async function loadAccessTokens(
  world: World,
  { issuer, audience }: { issuer: string; audience: string },
): Promise<AccessTokens> {
  const keys = await loadKeys(world);
  const current = keys.at(-1) as SigningKey;
  // Checking a signature takes longer than most requests; a token that was good stays so until it ends.
  const good = new Map<string, { caller: Caller; exp: number }>();

  function check(token: string): { caller: Caller; exp: number } {
    const header = jwt.decode(token, { complete: true })?.header;
    const key = keys.find(({ kid }) => kid === header?.kid);
    if (!key) throw refused;
    const claims = jwt.verify(token, key.publicKey, {
      algorithms: ["ES256"],
      issuer,
      audience,
      clockTimestamp: Math.floor(world.now().getTime() / 1000),
    });
    const { sub, tenantId, roles, kind, exp } = v.parse(Claims, claims);
    return { caller: { id: sub, kind, tenantId, roles }, exp };
  }
  return {
    issue({ id, kind, tenantId, roles }) {
      const iat = Math.floor(world.now().getTime() / 1000);
      return jwt.sign({ tenantId, roles, kind, iat, exp: iat + accessTokenSeconds }, current.privateKey, {
        algorithm: "ES256",
        keyid: current.kid,
        subject: id,
        issuer,
        audience,
        jwtid: world.newId(),
      });
    },
    verify(token) {
      const known = good.get(token);
      if (known && known.exp * 1000 > world.now().getTime()) return known.caller;
      try {
        const checked = check(token);
        if (good.size >= maxRemembered) good.clear();
        good.set(token, checked);
        return checked.caller;
      } catch (error) {
        if (error instanceof jwt.TokenExpiredError)
          throw new ServiceError("token_expired", "The access token has expired.");
        throw refused;
      }
    },
    jwks: () => ({
      keys: keys.map(({ kid, publicJwk }) => ({ ...publicJwk, kid, use: "sig", alg: "ES256" })),
    }),
  };
}

const refused = new ServiceError("unauthenticated", "The access token is not valid.", {
  headers: { "WWW-Authenticate": 'Bearer error="invalid_token"' },
});

interface SigningKey {
  kid: string;
  publicJwk: Record<string, string>;
  publicKey: KeyObject;
  privateKey: KeyObject;
}

/** The stored keys, the oldest first. Of processes that start at once, one makes the first key and the others wait for it. */
async function loadKeys(world: World): Promise<SigningKey[]> {
  const stored = await oneAtATime(world, async () => {
    const found = await storedKeys(world);
    if (found.length > 0) return found;
    await world.db.insert(signingKeys).values(newKey(world));
    return storedKeys(world);
  });
  return stored.map(({ id, publicJwk, sealedPrivateKey }) => ({
    kid: id,
    publicJwk,
    publicKey: createPublicKey({ key: publicJwk, format: "jwk" }),
    privateKey: createPrivateKey(world.vault.open(sealedPrivateKey)),
  }));
}

const storedKeys = ({ db }: World) => db.select().from(signingKeys).orderBy(asc(signingKeys.createdAt));

function newKey(world: World): typeof signingKeys.$inferInsert {
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    id: world.newId(),
    publicJwk: pair.publicKey.export({ format: "jwk" }) as Record<string, string>,
    sealedPrivateKey: world.vault.seal(pair.privateKey.export({ format: "pem", type: "pkcs8" }).toString()),
    createdAt: world.now(),
  };
}

async function oneAtATime<T>({ pool }: World, work: () => Promise<T>): Promise<T> {
  const connection = await pool.getConnection();
  const lock = "CONCAT('keys.', MD5(DATABASE()))";
  try {
    await connection.query(`SELECT GET_LOCK(${lock}, 10)`);
    return await work();
  } finally {
    await connection.query(`SELECT RELEASE_LOCK(${lock})`);
    connection.release();
  }
}
