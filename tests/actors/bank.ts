import { inArray, sql } from "drizzle-orm";
import { type Mailbox, openMailbox } from "../../actors/runtime/mailbox.ts";
import { migrate } from "../../schema/migrate.ts";
import type { World } from "../../schema/world.ts";
import type { Config } from "../../src/config.ts";
import { createWorld } from "../../src/world.ts";
import { ownConfig } from "../config.ts";
import {
  type Account,
  account,
  accounts,
  createTable,
  type During,
  ending,
  newNumber,
  origin,
} from "./account.ts";

/** A database with the accounts' table, that two worlds share as two processes would. */
export async function openBank() {
  const config = ownConfig();
  const worlds = [createWorld(config), createWorld(config)] as const;
  const [world] = worlds;
  await migrate(world.mysql);
  await world.pool.query(createTable);
  const boxes = [openMailbox(worlds[0]), openMailbox(worlds[1])] as const;
  const rows = async <T = any>(text: string, values: unknown[] = []): Promise<T[]> =>
    (await world.pool.query(text, values))[0] as T[];

  const find = async (id: string): Promise<Account> => {
    const [found] = await world.db
      .select()
      .from(accounts)
      .where(inArray(accounts.id, [id]));
    if (!found) throw new Error(`There is no account ${id}.`);
    return found;
  };
  return {
    config,
    world,
    worlds,
    boxes,
    rows,
    find,
    /** A new account; its id. */
    async open(balance = 0, tenantId = "tenant-1"): Promise<string> {
      const input = { tenantId, number: newNumber(), balance };
      return stateOf(await boxes[0].send(account.open, { input, origin })).id;
    },
    /** A mailbox of one's own, for those who break its connection. */
    ownMailbox: (): Mailbox => openMailbox(world),
    /** What the four places where an accepted command is seen say about an account. */
    async traces(id: string) {
      const [state, audit, outbox] = await Promise.all([
        find(id),
        rows("SELECT version, command, detail FROM audit_entries WHERE recordId = ? ORDER BY version", [id]),
        rows("SELECT envelope FROM outbox_events WHERE envelope LIKE ? ORDER BY id", [`%"subject":"${id}"%`]),
      ]);
      return { state, audit, events: outbox.map(({ envelope }) => JSON.parse(envelope)) };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(boxes.map((box) => box.close()));
      await world.pool.query("DROP DATABASE ??", [world.mysql.database]);
      await Promise.all(worlds.map((each) => each.close()));
    },
  };
}
export type Bank = Awaited<ReturnType<typeof openBank>>;

/** The state that an accepted command led to; fails on a stored answer. */
export function stateOf<State>(outcome: { state: State } | { replayed: unknown }): State {
  if ("state" in outcome) return outcome.state;
  throw new Error("The answer was a stored one.");
}

/** The server's number for the connection of a mailbox's batches. */
export async function connectionOf(box: Mailbox, id: string): Promise<number> {
  let found = 0;
  const during: During = async (db) => {
    const [rows] = (await db.execute(sql`SELECT CONNECTION_ID() AS id`)) as unknown as [{ id: number }[]];
    found = rows[0]?.id ?? 0;
  };
  await box.send(account.deposit, { id, input: { amount: 0, during }, origin });
  return found;
}

/** The same, at most once: a batch that is run again asks its facts again. */
export function firstTime(during: During): During {
  let done = false;
  return async (db) => {
    if (done) return;
    done = true;
    await during(db);
  };
}

export interface HammerJob {
  config: Config;
  ids: string[];
  count: number;
}
export interface HammerReport {
  accepted: number;
  endings: string[];
}

/** Moves money between accounts in every direction, all at once; tells how many moves were accepted. */
export async function hammer(world: World, { ids, count }: Omit<HammerJob, "config">): Promise<HammerReport> {
  const box = openMailbox(world);
  const moves = Array.from({ length: count }, (_, i) => {
    const id = ids[i % ids.length] as string;
    const to = ids[(i + 1 + (i % (ids.length - 1))) % ids.length] as string;
    return ending(box.send(account.transfer, { id, input: { to, amount: 1 }, origin }));
  });
  const endings = await Promise.all(moves);
  await box.close();
  return {
    accepted: endings.filter((end) => end === "accepted").length,
    endings: [...new Set(endings)].sort(),
  };
}
