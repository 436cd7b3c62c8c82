import { inArray, sql } from "drizzle-orm";
import { products } from "../../schema/products/product.ts";
import { Unavailable, type World } from "../../schema/world.ts";
import { createPauses } from "../../streams/pauses.ts";
import { createOrders, type Entry, entryOf, type Orders } from "./orders.ts";
import { productView } from "./products.views.ts";
import { createSearchIndex, type SearchIndex } from "./search-index.ts";

const pollMs = 500;
/** Commits within this time are taken in together. */
const gatherMs = 50;
const loadingMs = 5000;
/** Taken in at a stretch; searches are answered in between. */
const rowsAtOnce = 100;

/** All products in memory, for what looks at the whole of them. */
export interface Catalogue {
  readonly entries: ReadonlyMap<string, Entry>;
  readonly index: SearchIndex;
  readonly orders: Orders;
  /** Another number whenever something has changed. */
  readonly revision: number;
  /** Resolves once the products are there; throws `unavailable` when that takes longer than 5 s. */
  loaded(): Promise<void>;
  stop(): Promise<void>;
}

/** Fills itself from the database, then follows the versions of the products: woken by commits, and asking twice a second. */
export function openCatalogue(world: World): Catalogue {
  const entries = new Map<string, Entry>();
  const [index, orders] = [createSearchIndex(), createOrders(entries)];
  const [polling, gathering] = [createPauses(), createPauses()];
  const first = Promise.withResolvers<void>();
  let [revision, due] = [0, false];
  let held = { revision, sum: "0 0 0" };

  async function refresh(): Promise<void> {
    // Of what is in memory, not the one read last: a product may have come since, and gone before the next.
    if (held.revision !== revision) held = { revision, sum: checksumOf(entries) };
    if ((await checksum(world)) === held.sum) return;
    const versions = await versionsOf(world);
    const ids = new Set([...entries.keys(), ...versions.keys()]);
    const stale = [...ids].filter((id) => entries.get(id)?.product.version !== versions.get(id));
    for (let at = 0; at < stale.length && !polling.ended; at += rowsAtOnce)
      await takeIn(stale.slice(at, at + rowsAtOnce));
  }
  async function takeIn(ids: string[]): Promise<void> {
    const rows = await world.db.select().from(products).where(inArray(products.id, ids));
    const found = new Map(rows.map((row) => [row.id, entryOf(productView(row))]));
    for (const id of ids) {
      const entry = found.get(id);
      if (entry) entries.set(id, entry);
      else entries.delete(id);
      if (entry) index.put(entry);
      else index.remove(id);
    }
    orders.change();
    revision++;
  }
  async function follow(): Promise<void> {
    while (!polling.ended) {
      due = false;
      await refresh().then(first.resolve, (error) => world.log.warn("the catalogue waits", { error }));
      await gathering.pause(gatherMs);
      if (!due) await polling.pause(pollMs);
    }
  }
  const unsubscribe = world.waker.on("products", () => {
    due = true;
    polling.wake();
  });
  const following = follow();
  return {
    entries,
    index,
    orders,
    get revision() {
      return revision;
    },
    async loaded() {
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(
        () => late.reject(new Unavailable("The catalogue is being loaded.")),
        loadingMs,
      );
      await Promise.race([first.promise, late.promise]).finally(() => clearTimeout(timer));
    },
    stop() {
      unsubscribe();
      for (const pauses of [polling, gathering]) pauses.end();
      return following;
    },
  };
}

/** Differs when any product was made, changed or deleted: one pass over an index, no rows. */
async function checksum({ db }: World): Promise<string> {
  const mark = sql`CRC32(CONCAT(${products.id}, ${products.version}))`;
  const sums = sql`COALESCE(SUM(${products.version}), 0), ' ', COALESCE(SUM(${mark}), 0)`;
  const [found] = await db.select({ sum: sql<string>`CONCAT(COUNT(*), ' ', ${sums})` }).from(products);
  return found?.sum ?? "";
}

/** The checksum that the database has with these products. */
function checksumOf(entries: ReadonlyMap<string, Entry>): string {
  let [versions, marks] = [0, 0];
  for (const { product } of entries.values()) {
    versions += product.version;
    marks += Bun.hash.crc32(`${product.id}${product.version}`);
  }
  return `${entries.size} ${versions} ${marks}`;
}

async function versionsOf({ db }: World): Promise<Map<string, number>> {
  const rows = await db.select({ id: products.id, version: products.version }).from(products);
  return new Map(rows.map(({ id, version }) => [id, version]));
}
