import { getTableName } from "drizzle-orm";
import type { MySqlTable } from "drizzle-orm/mysql-core";
import { alreadyExists } from "../../schema/errors.ts";
import { appliedEvents } from "../../schema/runtime/applied-event.ts";
import { auditEntries } from "../../schema/runtime/audit-entry.ts";
import { idempotentAnswers } from "../../schema/runtime/idempotent-answer.ts";
import { jobs } from "../../schema/runtime/job.ts";
import { outboxEvents } from "../../schema/runtime/outbox-event.ts";
import type { Woken } from "../../schema/world.ts";
import type { Actor, StoredRecord } from "./actor.ts";
import { insert, type Row, remove, upsert } from "./rows.ts";

type StoredAnswer = typeof idempotentAnswers.$inferInsert;

/** What a batch has read and decided so far, in memory. Records are never changed in place, so undoing is cheap. */
export class Draft {
  private readonly records = new Map<string, StoredRecord>();
  private readonly ids = new Map<MySqlTable, Set<string>>();
  private readonly whole = new Set<MySqlTable>();
  private readonly fresh = new Map<string, MySqlTable>();
  private readonly dirty = new Map<string, MySqlTable>();
  private readonly removed = new Map<string, MySqlTable>();
  private readonly answers = new Map<string, StoredAnswer>();
  private readonly newAnswers: StoredAnswer[] = [];
  private readonly applied = new Set<string>();
  private readonly newApplied: Row[] = [];
  private readonly audit: Row[] = [];
  private readonly outbox: Row[] = [];
  private readonly jobs: Row[] = [];
  private readonly followers = new Set<Woken>();
  private undone: (() => void)[] = [];

  constructor(private readonly now: Date) {}

  /** A record that the batch has locked. */
  load(table: MySqlTable, record: StoredRecord): void {
    this.records.set(keyOf(table, record.id), record);
    this.know(table, record.id);
  }
  private know(table: MySqlTable, id: string): void {
    const ids = this.ids.get(table);
    if (ids) ids.add(id);
    else this.ids.set(table, new Set([id]));
  }
  /** Rows of stored answers, and of applied events. */
  loadPast(results: Row[][]): void {
    for (const row of results.flat()) {
      if ("eventId" in row) this.applied.add(`${row["eventId"]} ${row["group"]}`);
      else this.answers.set(row["id"] as string, row as StoredAnswer);
    }
  }

  /** Every record of a table was loaded. */
  knowWhole(table: MySqlTable): void {
    this.whole.add(table);
  }
  /** Every record of a kind, by id; throws where not all were loaded. */
  all({ table, name }: Actor): StoredRecord[] {
    if (!this.whole.has(table)) throw new Error(`Not every ${name} is locked.`);
    const ids = [...(this.ids.get(table) ?? [])].sort();
    return ids.flatMap((id) => this.records.get(keyOf(table, id)) ?? []);
  }
  get(actor: Actor, id: string): StoredRecord | null {
    return this.records.get(keyOf(actor.table, id)) ?? null;
  }
  create(actor: Actor, record: StoredRecord): void {
    if (this.get(actor, record.id)) throw alreadyExists();
    this.mark(this.fresh, actor, record);
  }
  change(actor: Actor, record: StoredRecord): void {
    this.mark(this.fresh.has(keyOf(actor.table, record.id)) ? this.fresh : this.dirty, actor, record);
  }
  /** Takes a record away: what comes after it in the batch does not find it. */
  remove(actor: Actor, id: string): void {
    const key = keyOf(actor.table, id);
    if (!this.fresh.has(key)) this.put(this.removed, key, actor.table);
    for (const set of [this.fresh, this.dirty]) this.put(set, key, undefined);
    this.put(this.records, key, undefined);
  }
  private mark(set: Map<string, MySqlTable>, actor: Actor, record: StoredRecord): void {
    const key = keyOf(actor.table, record.id);
    this.put(set, key, actor.table);
    this.put(this.records, key, record);
    this.know(actor.table, record.id);
  }
  /** Sets an entry, or takes it out, so that it can be undone. */
  private put<V>(map: Map<string, V>, key: string, value: V | undefined): void {
    const before = map.get(key);
    this.undone.push(() => put(map, key, before));
    put(map, key, value);
  }

  /** Wakes who follows the versions of a kind of record: a hint, so that one too many does no harm. */
  wake(follower: Woken): void {
    this.followers.add(follower);
  }

  answerTo(id: string): StoredAnswer | undefined {
    return this.answers.get(id);
  }
  storeAnswer(answer: StoredAnswer): void {
    this.answers.set(answer.id, answer);
    this.newAnswers.push(answer);
    this.undone.push(() => {
      this.answers.delete(answer.id);
      this.newAnswers.pop();
    });
  }
  hasApplied(eventId: string, group: string): boolean {
    return this.applied.has(`${eventId} ${group}`);
  }
  storeApplied(eventId: string, group: string): void {
    this.applied.add(`${eventId} ${group}`);
    this.newApplied.push({ eventId, group, at: this.now });
  }
  add(kind: "audit" | "outbox" | "jobs", row: Row): void {
    this[kind].push(row);
    this.undone.push(() => this[kind].pop());
  }

  /** Takes back everything since the last `keep`. */
  undo(): void {
    for (const undo of this.undone.reverse()) undo();
    this.undone = [];
  }
  keep(): void {
    this.undone = [];
  }

  get wakes(): Woken[] {
    return [
      ...this.followers,
      ...(this.outbox.length > 0 ? ["relay" as const] : []),
      ...(this.jobs.length > 0 ? ["jobs" as const] : []),
    ];
  }

  /** Everything decided, as multi-row writes. */
  statements(): string[] {
    const lastOrders = new Map(this.jobs.map((job) => [`${job["kind"]} ${job["key"]}`, job]));
    return [
      ...byTable(this.removed).map(([table, keys]) => remove(table, keys.map(idOf))),
      ...byTable(this.fresh).map(([table, keys]) => insert(table, this.rowsOf(keys))),
      ...byTable(this.dirty).map(([table, keys]) => upsert(table, this.rowsOf(keys))),
      ...some(auditEntries, this.audit),
      ...some(outboxEvents, this.outbox),
      ...(lastOrders.size > 0 ? [upsert(jobs, [...lastOrders.values()], orderAgain)] : []),
      ...some(idempotentAnswers, this.newAnswers),
      ...some(appliedEvents, this.newApplied),
    ];
  }
  private rowsOf(keys: string[]): Row[] {
    return keys.sort().map((key) => this.records.get(key) as unknown as Row);
  }
}

/** A job ordered again starts anew; whoever is working on it sees the new revision. */
const orderAgain = ["payload", "dueAt", "requestId", "correlationId"]
  .map((name) => `${name}=VALUES(${name})`)
  .concat("attempt=0", "error=NULL", "revision=revision+1")
  .join(",");

const keyOf = (table: MySqlTable, id: string) => `${getTableName(table)} ${id}`;
const idOf = (key: string) => key.slice(key.indexOf(" ") + 1);

function put<V>(map: Map<string, V>, key: string, value: V | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}

const some = (table: MySqlTable, rows: Row[]) => (rows.length > 0 ? [insert(table, rows)] : []);

function byTable(marked: Map<string, MySqlTable>): [MySqlTable, string[]][] {
  const groups = new Map<MySqlTable, string[]>();
  for (const [key, table] of marked) {
    const keys = groups.get(table);
    if (keys) keys.push(key);
    else groups.set(table, [key]);
  }
  return [...groups];
}
