import type { MySqlTable } from "drizzle-orm/mysql-core";
import type { MySql2Database } from "drizzle-orm/mysql2";
import { type Caller, systemCaller, type TenantScope } from "../../schema/permissions.ts";
import type { Woken } from "../../schema/world.ts";
import type { EventData, Topic } from "../../streams/topics.ts";

/** What every stored record has. */
export interface StoredRecord {
  id: string;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

/** Who sends a command, how far they reach, and what it follows from. */
export interface Origin {
  readonly caller: Caller;
  readonly scope: TenantScope;
  /** Of whose records the caller may know; absent: no more than they reach. */
  readonly sight?: TenantScope;
  readonly requestId: string;
  readonly correlationId: string;
  readonly causationId: string | null;
}

/** A command that a service of Landfall sends by itself, following from a request or an event. */
export const originOf = (
  service: string,
  {
    requestId,
    correlationId,
    causationId = null,
  }: Partial<Origin> & { requestId: string; correlationId: string },
): Origin => ({ caller: systemCaller(service), scope: null, requestId, correlationId, causationId });

/** An event of the bus, or a ready envelope for a stream of its own (dead letters). */
export type Emission =
  | { [T in Topic]: { topic: T; data: EventData<T> } }[Topic]
  | { stream: string; envelope: { eventId: string; [member: string]: unknown } };

/** Work for later or outside. Ordering the same kind and key again replaces what is still to do. */
export interface JobOrder {
  kind: string;
  /** At most 64 characters. */
  key: string;
  /** Absent: at once. */
  dueAt?: Date;
  payload?: Record<string, unknown>;
}

/** A change to another record that was locked with the command, or a new one (`create`). */
export interface OtherChange {
  actor: Actor;
  id: string;
  set: Record<string, unknown>;
  create?: true;
  /** Keeps the books only, as a quiet command does. */
  quiet?: true;
}

/** In the place of an id: all of them. Only for kinds of which there are few. */
export const everyone = Symbol("everyone");
/** A record that a command locks beside its own, or every record of a kind. */
export type Lock = readonly [Actor, string | typeof everyone];

/** What a command comes to. Without `set` and `remove` it is accepted and changes nothing, other records neither. */
export interface Decision<State> {
  set?: Partial<State>;
  /** The record is gone with the commit; the outcome tells its last state. */
  remove?: true;
  emit?: Emission[];
  jobs?: JobOrder[];
  also?: OtherChange[];
  /** For the audit: the step completed or failed, and more. */
  step?: string;
  detail?: Record<string, unknown>;
}

/** What a decision may know beside state, input and facts; the only source of time and ids. */
export interface Moment {
  readonly id: string;
  readonly now: Date;
  readonly caller: Caller;
  newId(): string;
  /** Another record that the command has locked; null where there is none. */
  locked(actor: Actor, id: string): StoredRecord | null;
  /** All records of a kind that the command has locked with `everyone`, by id: the oldest first. */
  lockedAll(actor: Actor): StoredRecord[];
}

/** A read that many commands of a batch share: one query for all their keys. */
export interface Fact<Key, Value> {
  read(db: MySql2Database, keys: Key[]): Promise<(key: Key) => Value>;
}
export interface FactQuery<Value> {
  // biome-ignore lint/suspicious/noExplicitAny: the key's type is the fact's own affair
  readonly fact: Fact<any, Value>;
  readonly key: unknown;
}
export const ask = <Key, Value>(fact: Fact<Key, Value>, key: Key): FactQuery<Value> => ({ fact, key });

/** A kind of record: its table, and how its changes are told. */
export interface Actor {
  /** As people call it, for messages. */
  readonly name: string;
  /** The service that its events come from. */
  readonly service: string;
  readonly table: MySqlTable;
  readonly audited: boolean;
  /** Who follows its versions, and is woken after each commit. */
  readonly wakes?: Woken;
}

/** A command as the mailbox takes it. */
export interface Command<State = unknown, Input = unknown> {
  readonly actor: Actor;
  readonly name: string;
  /** `new`: makes the record. `any`: whatever its state. */
  readonly accepts: "new" | "any" | readonly string[];
  /** The commands that a client may send in a state, for the refusal. */
  allowedIn(status: string): string[];
  /** Keeps the books only: version, audit and `updatedAt` stay as they are. */
  readonly quiet: boolean;
  locks(input: Input): readonly Lock[];
  /** What it locks once its own record is known (null: it is not there yet). */
  furtherLocks(state: State | null, input: Input): readonly Lock[];
  /** `state` is null for a record that is not there when the batch begins. */
  facts(state: State | null, input: Input): Record<string, FactQuery<unknown>>;
  decide(state: State, input: Input, facts: Record<string, unknown>, moment: Moment): Decision<State>;
}

// biome-ignore lint/suspicious/noExplicitAny: each decide function has its own input and facts
type Decide<State> = (state: State, input: any, facts: any, moment: Moment) => Decision<State>;
type FactsOf<F> = { [K in keyof F]: FactQuery<F[K]> };

interface Definition<T extends MySqlTable, C extends Record<string, Decide<T["$inferSelect"]>>>
  extends Actor {
  table: T;
  /** Which states accept which command. */
  accepts: { [K in keyof C]: Command["accepts"] };
  commands: C;
  /** Commands of the workers and timers; they are not named to clients. */
  internal?: readonly (keyof C)[];
  quiet?: readonly (keyof C)[];
  locks?: { [K in keyof C]?: (input: Parameters<C[K]>[1]) => readonly Lock[] };
  furtherLocks?: {
    [K in keyof C]?: (state: T["$inferSelect"] | null, input: Parameters<C[K]>[1]) => readonly Lock[];
  };
  facts?: {
    [K in keyof C]?: (
      state: T["$inferSelect"] | null,
      input: Parameters<C[K]>[1],
    ) => FactsOf<Parameters<C[K]>[2]>;
  };
}

type Commands<State, C extends Record<string, Decide<State>>> = {
  [K in keyof C]: Command<State, Parameters<C[K]>[1]>;
};

/** An actor with its commands, each typed by the input that its decide function takes. */
export function defineActor<T extends MySqlTable, C extends Record<string, Decide<T["$inferSelect"]>>>(
  definition: Definition<T, C>,
): Actor & Commands<T["$inferSelect"], C> {
  const { name, service, table, audited, wakes, accepts, internal = [], quiet = [] } = definition;
  const actor: Actor = { name, service, table, audited, ...(wakes ? { wakes } : {}) };
  const allowedIn = (status: string) =>
    Object.keys(accepts).filter((key) => accepts[key]?.includes(status) && !internal.includes(key));
  const commands = Object.entries(definition.commands).map(([key, decide]) => [
    key,
    {
      actor,
      name: key,
      accepts: accepts[key],
      allowedIn,
      quiet: quiet.includes(key),
      locks: definition.locks?.[key] ?? (() => []),
      furtherLocks: definition.furtherLocks?.[key] ?? (() => []),
      facts: definition.facts?.[key] ?? (() => ({})),
      decide,
    },
  ]);
  return { ...actor, ...Object.fromEntries(commands) };
}
