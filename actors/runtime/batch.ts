import { getTableName } from "drizzle-orm";
import type { MySqlTable } from "drizzle-orm/mysql-core";
import type { World } from "../../schema/world.ts";
import { everyone, type Fact, type Lock, type StoredRecord } from "./actor.ts";
import { type BatchConnection, beginning } from "./connection.ts";
import { decideUnit, type FactsFor } from "./decide.ts";
import { Draft } from "./draft.ts";
import type { Done, Replayed, Unit, UnitOrder } from "./mailbox.ts";
import { decode, literal, type Row, selectForUpdate } from "./rows.ts";

/** How a unit ended: what it came to, or its refusal. */
export type Ending = { outcome: Done<unknown>[] | Replayed } | { refusal: unknown };

/**
 * One batch, one transaction: lock and read, ask for facts, decide in memory, write, commit. Two round trips, one
 * more for locks that follow from the records, and one more for each fact. Throws when nothing of it was committed,
 * or when that can't be known.
 */
export async function commitBatch(
  world: World,
  connection: BatchConnection,
  units: readonly Unit[],
): Promise<Ending[]> {
  const draft = new Draft(world.now());
  await begin(connection, draft, units);
  await lock(connection, draft, furtherLocksOf(draft, units));
  const factsFor = await readFacts(connection, draft, units);
  // Facts may show what another process has committed since: then its answers and events must show as well.
  const past = factsFor ? pastOf(units) : [];
  if (past.length > 0) draft.loadPast((await connection.run(past)) as Row[][]);
  const now = world.now();
  const endings = units.map((unit): Ending => {
    try {
      return { outcome: decideUnit(world, draft, unit, now, factsFor ?? (() => ({}))) };
    } catch (refusal) {
      return { refusal };
    }
  });
  await connection.run([...draft.statements(), "COMMIT"]);
  for (const name of draft.wakes) world.waker.wake(name);
  return endings;
}

/** Starts the transaction and reads everything that the batch is known to lock. */
async function begin(connection: BatchConnection, draft: Draft, units: readonly Unit[]): Promise<void> {
  const rest = await lock(connection, draft, locksOf(units), [beginning], pastOf(units));
  draft.loadPast(rest);
}

/** Locks and reads in one round trip, between other statements; what those after it bring. */
async function lock(
  connection: BatchConnection,
  draft: Draft,
  locks: Locks,
  before: string[] = [],
  after: string[] = [],
): Promise<Row[][]> {
  const statements = [...before, ...locks.map(([table, ids]) => selectForUpdate(table, ids)), ...after];
  if (statements.length === 0) return [];
  const results = (await connection.run(statements)) as Row[][];
  locks.forEach(([table, ids], i) => {
    if (ids === null) draft.knowWhole(table);
    for (const row of results[before.length + i] ?? [])
      draft.load(table, decode(table, row) as unknown as StoredRecord);
  });
  return results.slice(before.length + locks.length);
}

/** Reads for what the units may have done before: answers to their keys, and events that were applied. */
function pastOf(units: readonly Unit[]): string[] {
  const onces = units.flatMap(({ once }) => (once ? [literal(once.id)] : []));
  const applied = units.flatMap((unit) => (unit.applied ? [unit.applied] : []));
  const events = applied.map(({ eventId }) => literal(eventId)).join(",");
  return [
    ...(onces.length > 0 ? [`SELECT * FROM idempotent_answers WHERE id IN (${onces.join(",")})`] : []),
    ...(events
      ? [
          `SELECT eventId, CAST(\`group\` AS CHAR) AS \`group\` FROM applied_events WHERE eventId IN (${events})`,
        ]
      : []),
  ];
}

/** What the id columns can hold; anything else is not there, and would not compare with them. */
const possibleId = /^[ -~]{1,36}$/;

/** What is locked in one round trip: of each table these ids, or all (null). */
type Locks = [table: MySqlTable, ids: string[] | null][];

/** The commands' own records, and what they name beside them. */
function locksOf(units: readonly Unit[]): Locks {
  return inOrder(
    units.flatMap(({ orders }) =>
      orders.flatMap(({ command, id, input }): readonly Lock[] => {
        const own = command.accepts !== "new" && id !== undefined;
        return [...(own ? [[command.actor, id] as const] : []), ...command.locks(input)];
      }),
    ),
  );
}

/** What follows from the records that are locked now. */
function furtherLocksOf(draft: Draft, units: readonly Unit[]): Locks {
  return inOrder(
    units.flatMap(({ orders }) =>
      orders.flatMap((order) => order.command.furtherLocks(ownRecord(draft, order), order.input)),
    ),
  );
}

/** The record that a command is for; null where it is new, or not there yet. */
const ownRecord = (draft: Draft, { command, id = "" }: UnitOrder) =>
  command.accepts === "new" ? null : draft.get(command.actor, id);

/** Tables in the order of their names, ids ascending, so that no two batches wait for each other. */
function inOrder(all: readonly Lock[]): Locks {
  const locks = new Map<MySqlTable, Set<string> | null>();
  for (const [{ table }, id] of all) {
    const ids = locks.get(table);
    if (id === everyone) locks.set(table, null);
    else if (ids !== null && possibleId.test(id)) locks.set(table, (ids ?? new Set()).add(id));
  }
  return [...locks]
    .sort(([a], [b]) => (getTableName(a) < getTableName(b) ? -1 : 1))
    .map(([table, ids]) => [table, ids && [...ids]]);
}

/** One query for each fact that any command asks for. Facts see what is committed, not what this batch decides. */
async function readFacts(
  connection: BatchConnection,
  draft: Draft,
  units: readonly Unit[],
): Promise<FactsFor | null> {
  const questions = new Map<UnitOrder, ReturnType<UnitOrder["command"]["facts"]>>();
  const keys = new Map<Fact<unknown, unknown>, unknown[]>();
  for (const order of units.flatMap(({ orders }) => orders)) {
    // A record that is missing may be made earlier in the same batch: its facts are asked for as at creation.
    const asked = order.command.facts(ownRecord(draft, order), order.input);
    questions.set(order, asked);
    for (const { fact, key } of Object.values(asked)) {
      const others = keys.get(fact);
      if (others) others.push(key);
      else keys.set(fact, [key]);
    }
  }
  if (keys.size === 0) return null;
  const answers = new Map<Fact<unknown, unknown>, (key: unknown) => unknown>();
  for (const [fact, asked] of keys) answers.set(fact, await fact.read(connection.db(), asked));
  return (order) =>
    Object.fromEntries(
      Object.entries(questions.get(order) ?? {}).map(([name, { fact, key }]) => [
        name,
        answers.get(fact)?.(key),
      ]),
    );
}
