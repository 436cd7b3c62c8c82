import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import type { World } from "../../schema/world.ts";
import { repeat } from "../../streams/pauses.ts";
import { keysInTurn, leadMs } from "./key-turns.ts";

/** Seconds for which the published keys may be kept. */
export const keysMaxAgeSeconds = 300;

const lookEveryMs = 60_000;
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
