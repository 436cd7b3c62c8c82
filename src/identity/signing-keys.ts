import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { asc, inArray } from "drizzle-orm";
import type { RowDataPacket } from "mysql2/promise";
import { signingKeys } from "../../schema/identity/signing-key.ts";
import type { World } from "../../schema/world.ts";
import { repeat } from "../../streams/pauses.ts";

/** Seconds that an access token is valid. */
export const accessTokenSeconds = 900;

/** Seconds for which the published keys may be kept. */
export const keysMaxAgeSeconds = 300;

const minuteMs = 60_000;
/** So long a key that leaked unnoticed is of use; a new one costs nothing. */
const signingMs = 30 * 24 * 60 * minuteMs;
/** Published before it signs, a key is known in time to those who keep the set, and to programs that look each minute. */
const leadMs = 10 * minuteMs;
/** After the next key was made: until that one signs, and until the last token has ended on clocks that differ. */
const keptMs = leadMs + accessTokenSeconds * 1000 + 5 * minuteMs;
const lookEveryMs = minuteMs;
/** An unknown key is looked for once in so long, whatever is sent. */
const reloadEveryMs = 1000;

export interface SigningKey {
  /** The `kid`. */
  id: string;
  publicJwk: Record<string, string>;
  publicKey: KeyObject;
  privateKey: KeyObject;
}

/** The ES256 keys of all programs of an installation, new each month. */
export interface SigningKeys {
  /** The oldest first. */
  all(): readonly SigningKey[];
  /** The one that signs now. */
  current(): SigningKey;
  find(id: string): SigningKey | undefined;
  /** Looks whether another program has made new ones, at most once a second. */
  reload(): Promise<void>;
  stop(): Promise<void>;
}

/** Loads the keys, makes those that are due, and does so again each minute. */
export async function openSigningKeys(world: World, everyMs = lookEveryMs): Promise<SigningKeys> {
  let keys: (SigningKey & { createdAt: Date })[] = [];
  let reloadedMs = Number.NEGATIVE_INFINITY;
  let loading: Promise<void> | null = null;

  async function load(): Promise<void> {
    keys = (await keysInTurn(world)).map(({ sealedPrivateKey, publicJwk, ...key }) => ({
      ...key,
      publicJwk,
      publicKey: createPublicKey({ key: publicJwk, format: "jwk" }),
      privateKey: createPrivateKey(opened(world, sealedPrivateKey)),
    }));
  }
  await load();
  const looking = repeat(world, "Turning the signing keys", 0, async (pauses) => {
    await pauses.pause(everyMs);
    if (!pauses.ended) await load();
  });
  return {
    all: () => keys,
    current() {
      const signsSince = world.now().getTime() - leadMs;
      return (keys.findLast(({ createdAt }) => createdAt.getTime() <= signsSince) ?? keys[0]) as SigningKey;
    },
    find: (id) => keys.find((key) => key.id === id),
    async reload() {
      if (loading) return loading;
      if (performance.now() - reloadedMs < reloadEveryMs) return;
      loading = load()
        .then(() => {
          reloadedMs = performance.now();
        })
        .finally(() => {
          loading = null;
        });
      await loading;
    },
    stop: () => looking.stop(),
  };
}

function opened({ vault }: World, sealed: string): string {
  try {
    return vault.open(sealed);
  } catch (cause) {
    throw new Error("ENCRYPTION_KEY is not the one that the database was sealed with.", { cause });
  }
}

type StoredKey = typeof signingKeys.$inferSelect;

/** The stored keys. Of programs that find at once that it is time, one makes the next key and the others wait for it. */
async function keysInTurn(world: World): Promise<StoredKey[]> {
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
