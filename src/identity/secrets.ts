import { createHash, randomBytes } from "node:crypto";

/** A new secret with 256 bits of chance, and the hash that is stored in its place. */
export function newSecret(prefix: string): { secret: string; hash: string } {
  const secret = prefix + randomBytes(32).toString("base64url");
  return { secret, hash: hashOf(secret) };
}

/** SHA-256 in hexadecimal: enough for secrets that can't be guessed. */
export const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");

/** argon2id, as a PHC string (RFC 9106). */
export const hashPassword = (password: string): Promise<string> => Bun.password.hash(password, passwordCost);

/** Takes as long for an account that does not exist, so that the answer does not tell. */
export async function checkPassword(password: string, hash: string | null | undefined): Promise<boolean> {
  const right = await Bun.password.verify(password, hash ?? (await decoy));
  return right && hash !== null && hash !== undefined;
}

const passwordCost = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;
const decoy = hashPassword(randomBytes(16).toString("hex"));
