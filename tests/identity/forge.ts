import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import type { House } from "../house.ts";

/* Tokens made without the program (RFC 7515, RFC 7518), good and forged. */

export interface Parts {
  header: Record<string, any>;
  claims: Record<string, any>;
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
const decode = (part = "") => JSON.parse(Buffer.from(part, "base64url").toString());

export function partsOf(token: string): Parts {
  const [header, claims] = token.split(".");
  return { header: decode(header), claims: decode(claims) };
}

/** A token signed with ES256. */
export function es256({ header, claims }: Parts, key: KeyObject): string {
  const text = `${encode(header)}.${encode(claims)}`;
  const signature = sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" });
  return `${text}.${signature.toString("base64url")}`;
}

/** A token signed with HS256. */
export function hs256({ header, claims }: Parts, secret: string | Buffer): string {
  const text = `${encode({ ...header, alg: "HS256" })}.${encode(claims)}`;
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}

/** A token that says it needs no signature. */
export const unsigned = ({ header, claims }: Parts, alg = "none"): string =>
  `${encode({ ...header, alg })}.${encode(claims)}.`;

/** The token with other claims under its old signature. */
export function tampered(token: string, claims: Record<string, any>): string {
  const [header, body, signature] = token.split(".");
  return [header, encode({ ...decode(body), ...claims }), signature].join(".");
}

/** Whether a published key has signed the token. */
export function signedBy(token: string, jwk: Record<string, string>): boolean {
  const [header, claims, signature = ""] = token.split(".");
  const key = createPublicKey({ key: jwk, format: "jwk" });
  return verify(
    "sha256",
    Buffer.from(`${header}.${claims}`),
    { key, dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
}

/** The program's own private key, and one of nobody's. */
export async function keysOf(house: House): Promise<{ own: KeyObject; other: KeyObject }> {
  const [row] = await house.rows("SELECT sealedPrivateKey FROM signing_keys ORDER BY createdAt DESC");
  return {
    own: createPrivateKey(house.world.vault.open(row.sealedPrivateKey)),
    other: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
  };
}
