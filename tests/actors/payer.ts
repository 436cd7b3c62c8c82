import { type Decision, defineActor, everyone, type Moment } from "../../actors/runtime/actor.ts";
import { type Account, accounts, type During, interruption, newNumber } from "./account.ts";

/* Further commands of the bank's accounts: what they lock follows from the record, or is everyone. */

const books = { name: "account", service: "billing", table: accounts, audited: true };

/** Accounts with a standing order: the note of each names the account that it pays. */
export const payer = defineActor({
  ...books,
  accepts: { pay: ["OPEN"], meddle: ["OPEN"], join: "new", count: ["OPEN"], levy: ["OPEN"], pair: "new" },
  commands: {
    pay(
      state: Account,
      { amount, quiet }: { amount: number; quiet?: true; during?: During },
      _: { pause: null },
      { locked }: Moment,
    ): Decision<Account> {
      const payee = locked(books, state.note ?? "") as Account | null;
      if (!payee) return {};
      const set = { balance: payee.balance + amount };
      return {
        set: { balance: state.balance - amount },
        also: [{ actor: books, id: payee.id, set, ...(quiet ? { quiet } : {}) }],
      };
    },
    /** Changes what it has not locked. */
    meddle: (_: Account, id: string): Decision<Account> => ({
      set: { title: "meddled" },
      also: [{ actor: books, id, set: { balance: 0 } }],
    }),
    /** A new account; its balance tells how many of its tenant were there before. */
    join(_: Account, { tenantId }: { tenantId: string }, __: unknown, moment: Moment) {
      return { set: fresh(tenantId, fellows(tenantId, moment).length) };
    },
    /** Notes the ids of all of its tenant, in the order in which they are told. */
    count: ({ tenantId }: Account, _: object, __: unknown, moment: Moment) => ({
      set: {
        note: fellows(tenantId, moment)
          .map(({ id }) => id)
          .join(" "),
      },
    }),
    /** Takes 1 from each other account of its tenant that has something. */
    levy(state: Account, _: { during?: During }, __: { pause: null }, moment: Moment): Decision<Account> {
      const rich = fellows(state.tenantId, moment).filter(
        ({ id, balance }) => id !== state.id && balance > 0,
      );
      const also = rich.map(({ id, balance }) => ({ actor: books, id, set: { balance: balance - 1 } }));
      return { set: { balance: state.balance + also.length }, also };
    },
    /** Two accounts at once, the second known by this id. */
    pair: (_: Account, { tenantId, id }: { tenantId: string; id: string }): Decision<Account> => ({
      set: fresh(tenantId, 1),
      also: [{ actor: books, id, create: true, set: fresh(tenantId, 2) }],
    }),
  },
  furtherLocks: {
    pay: (state) => (state?.note ? [[books, state.note]] : []),
    join: () => [[books, everyone]],
    count: () => [[books, everyone]],
    levy: () => [[books, everyone]],
    pair: (_, { id }) => [[books, id]],
  },
  facts: {
    pay: (_, { during }) => ({ pause: interruption(during) }),
    levy: (_, { during }) => ({ pause: interruption(during) }),
  },
});

const fresh = (tenantId: string, balance: number) => ({
  ...{ tenantId, number: newNumber(), title: "", status: "OPEN" as const, balance, note: null },
});
const fellows = (tenantId: string, { lockedAll }: Moment) =>
  (lockedAll(books) as unknown as Account[]).filter((one) => one.tenantId === tenantId);
