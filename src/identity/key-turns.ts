import { generateKeyPairSync } from "node:crypto";
import { asc, inArray } from "drizzle-orm";
import type { RowDataPacket } from "mysql2/promise";
import { signingKeys } from "../../schema/identity/signing-key.ts";
import type { World } from "../../schema/world.ts";

/* The signing keys in the database: when the next one is made, and when an old one goes. */

/** Seconds that an access token is valid. */
export const accessTokenSeconds = 900;

const minuteMs = 60_000;
/** So long a key that leaked unnoticed is of use; a new one costs nothing. */
const signingMs = 30 * 24 * 60 * minuteMs;
/** Published before it signs, a key is known in time to those who keep the set, and to programs that look each minute. */
export const leadMs = 10 * minuteMs;
/** After the next key was made: until that one signs, and until the last token has ended on clocks that differ. */
const keptMs = leadMs + accessTokenSeconds * 1000 + 5 * minuteMs;

type StoredKey = typeof signingKeys.$inferSelect;

/** The stored keys. Of programs that find at once that it is time, one makes the next key and the others wait for it. */
export async function keysInTurn(world: World): Promise<StoredKey[]> {
  const found = await storedKeys(world);
  if (!isDue(found, world.now()) && past(found, world.now()).length === 0) return found;
  return oneAtATime(world, async () => {
    const [stored, now] = [await storedKeys(world), world.now()];
    if (isDue(stored, now)) await world.db.insert(signingKeys).values(newKey(world));
    const ids = past(stored, now).map(({ id }) => id);
    if (ids.length > 0) await world.db.delete(signingKeys).where(inArray(signingKeys.id, ids));
    return storedKeys(world);
  });
}

const storedKeys = ({ db }: World) =>
  db.select().from(signingKeys).orderBy(asc(signingKeys.createdAt), asc(signingKeys.id));

const ageMs = ({ createdAt }: StoredKey, now: Date) => now.getTime() - createdAt.getTime();

const isDue = (keys: StoredKey[], now: Date) => keys.every((key) => ageMs(key, now) >= signingMs);

/** Those whose last token has ended. */
const past = (keys: StoredKey[], now: Date) =>
  keys.filter((_, i) => {
    const next = keys[i + 1];
    return next !== undefined && ageMs(next, now) >= keptMs;
  });

function newKey(world: World): StoredKey {
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
    const [[row]] = await connection.query<RowDataPacket[]>(`SELECT GET_LOCK(${lock}, 10) AS held`);
    if (row?.["held"] !== 1) throw new Error("Another program has been turning the signing keys for 10 s.");
    return await work();
  } finally {
    await connection.query(`SELECT RELEASE_LOCK(${lock})`).catch(() => connection.destroy());
    connection.release();
  }
}
