import { randomBytes } from "node:crypto";
import { inArray } from "drizzle-orm";
import { int, mysqlTable } from "drizzle-orm/mysql-core";
import type { MySql2Database } from "drizzle-orm/mysql2";
import {
  ask,
  type Decision,
  defineActor,
  type Fact,
  type Moment,
  originOf,
} from "../../actors/runtime/actor.ts";
import { exactText, label, longText, recordColumns, word } from "../../schema/columns.ts";
import { ServiceError } from "../../schema/errors.ts";

/* Accounts of a bank: an actor and a table that only these tests have, with every kind of fault that SQL knows. */

export const accounts = mysqlTable("accounts", {
  ...recordColumns,
  tenantId: exactText({ length: 64 }).notNull(),
  number: word().notNull(),
  /** At most ten characters. */
  title: label({ length: 10 }).notNull(),
  status: word<"OPEN" | "CLOSED">().notNull(),
  balance: int().notNull(),
  note: longText(),
});
export type Account = typeof accounts.$inferSelect;

export const createTable = `CREATE TABLE accounts (
  id ${accounts.id.getSQLType()} NOT NULL PRIMARY KEY,
  version int unsigned NOT NULL,
  createdAt datetime(3) NOT NULL,
  updatedAt datetime(3) NOT NULL,
  tenantId ${accounts.tenantId.getSQLType()} NOT NULL,
  number ${accounts.number.getSQLType()} NOT NULL UNIQUE,
  title ${accounts.title.getSQLType()} NOT NULL,
  status ${accounts.status.getSQLType()} NOT NULL,
  balance int NOT NULL CHECK (balance >= 0),
  note ${accounts.note.getSQLType()}
)`;

/** What a test does inside a batch, after its locks and before its decisions; `db` is the batch's own connection. */
export type During = (db: MySql2Database) => Promise<unknown>;
interface Interrupted {
  during?: During;
}
/** The fact that lets a test in. */
export const interruption = (during?: During) =>
  ask<null, null>(
    {
      async read(db) {
        await during?.(db);
        return () => null;
      },
    },
    null,
  );

/** How many numbers each query of the fact was asked for. */
export const askedNumbers: number[] = [];
const takenNumbers: Fact<string, boolean> = {
  async read(db, numbers) {
    askedNumbers.push(numbers.length);
    const rows = await db
      .select({ number: accounts.number })
      .from(accounts)
      .where(inArray(accounts.number, numbers));
    const taken = new Set(rows.map(({ number }) => number));
    return (number) => taken.has(number);
  },
};

interface Opening extends Interrupted {
  tenantId: string;
  number: string;
  balance?: number;
  /** As `during`, before the other facts are read. */
  early?: During;
}

export const account = defineActor({
  name: "account",
  service: "billing",
  table: accounts,
  audited: true,
  accepts: {
    open: "new",
    deposit: ["OPEN"],
    withdraw: ["OPEN"],
    transfer: ["OPEN"],
    close: ["OPEN"],
    renumber: "any",
    retitle: "any",
    force: "any",
    crash: "any",
    annotate: "any",
    erase: "any",
  },
  commands: {
    open(
      _: Account,
      { tenantId, number, balance = 0 }: Opening,
      { taken }: { early: null; taken: boolean; pause: null },
    ) {
      if (taken) throw new ServiceError("already_exists", "The number is taken.");
      return { set: { tenantId, number, balance, title: "", status: "OPEN" as const, note: null } };
    },
    deposit(
      state: Account,
      { amount, remind }: { amount: number; remind?: string } & Interrupted,
      _: { pause: null },
    ): Decision<Account> {
      return {
        set: { balance: state.balance + amount },
        detail: { amount },
        emit: [
          {
            topic: "billing.payment-received",
            data: { invoiceId: null, orderId: state.id, amount, currency: "EUR" },
          },
        ],
        jobs: remind ? [{ kind: "account.remind", key: state.id, payload: { text: remind } }] : [],
      };
    },
    withdraw(state: Account, { amount }: { amount: number }) {
      if (amount > state.balance) throw new ServiceError("quota_exceeded", "There is not so much.");
      return { set: { balance: state.balance - amount } };
    },
    transfer(
      state: Account,
      { to, amount }: { to: string; amount: number } & Interrupted,
      _: { pause: null },
      { locked }: Moment,
    ): Decision<Account> {
      const other = locked(bank, to) as Account | null;
      if (!other) throw new ServiceError("not_found", "There is no such account.");
      if (amount > state.balance) throw new ServiceError("quota_exceeded", "There is not so much.");
      return {
        set: { balance: state.balance - amount },
        also: [{ actor: bank, id: to, set: { balance: other.balance + amount } }],
      };
    },
    close: () => ({ set: { status: "CLOSED" as const } }),
    renumber: (_: Account, number: string) => ({ set: { number } }),
    retitle: (_: Account, title: string) => ({ set: { title } }),
    /** Without a look at what is there; the table refuses less than nothing. */
    force: (_: Account, balance: number) => ({ set: { balance } }),
    crash(): Decision<Account> {
      throw new TypeError("a bug");
    },
    annotate: (_: Account, note: string) => ({ set: { note } }),
    /** The record goes; what is left is told and given back. */
    erase: (state: Account): Decision<Account> => ({
      remove: true,
      set: { title: "erased" },
      detail: { left: state.balance },
      emit: [
        {
          topic: "billing.refund-requested",
          data: { invoiceId: null, orderId: state.id, amount: state.balance, currency: "EUR" },
        },
      ],
      jobs: [{ kind: "account.remind", key: state.id }],
    }),
  },
  quiet: ["annotate"],
  locks: {
    transfer: ({ to }) => [[bank, to]],
  },
  facts: {
    open: (_, { early, number, during }) => ({
      early: interruption(early),
      taken: ask(takenNumbers, number),
      pause: interruption(during),
    }),
    deposit: (_, { during }) => ({ pause: interruption(during) }),
    transfer: (_, { during }) => ({ pause: interruption(during) }),
  },
});
const bank = { name: "account", service: "billing", table: accounts, audited: true };

/** The same accounts, kept without an audit. */
export const plainAccount = defineActor({
  ...bank,
  audited: false,
  accepts: { open: "new" },
  commands: {
    open: (_: Account, { tenantId, number, balance = 0 }: Opening) => ({
      set: { tenantId, number, balance, title: "", status: "OPEN" as const, note: null },
    }),
  },
});

export const origin = originOf("tests", { requestId: "request-1", correlationId: "correlation-1" });
export const newNumber = (): string => randomBytes(8).toString("hex");

/** The code of a refusal or of an SQL error; `accepted` where there is none. */
export const ending = (sent: Promise<unknown>): Promise<string> =>
  sent.then(
    () => "accepted",
    (error) => error.code ?? error.cause?.code ?? error.name,
  );
