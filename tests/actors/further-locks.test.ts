import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Draft } from "../../actors/runtime/draft.ts";
import { type Account, account, ending, newNumber, origin } from "./account.ts";
import { type Bank, firstTime, openBank, stateOf } from "./bank.ts";
import { orders } from "./orders.ts";
import { payer } from "./payer.ts";

/* What a command locks once its own record is known, and what it changes beside it. */

let bank: Bank;
beforeAll(async () => {
  bank = await openBank();
});
afterAll(() => bank[Symbol.asyncDispose]());

const newTenant = () => newNumber();
/** A new account that pays another by standing order. */
async function payingTo(payee: string, balance = 1000): Promise<string> {
  const id = await bank.open(balance);
  await bank.boxes[0].send(account.annotate, { id, input: payee, origin });
  return id;
}
const pay = (id: string, more: object = {}, box = bank.boxes[0]) =>
  box.send(payer.pay, { id, input: { amount: 1, ...more }, origin });
const accepted = (count: number) => Array<string>(count).fill("accepted");

describe("a lock that follows from the record", () => {
  test("keeps the other record from everybody else, and no third", async () => {
    const [payee, third] = [await bank.open(), await bank.open()];
    const id = await payingTo(payee);
    const free: boolean[] = [];
    const during = firstTime(async () => {
      for (const each of [id, payee, third]) free.push(await isFree(each));
    });
    await pay(id, { during });
    expect(free).toEqual([false, false, true]);
    expect(await isFree(payee)).toBe(true);
  });

  test("loses no update, though no two senders lock the same record of their own, from two mailboxes", async () => {
    const payee = await bank.open();
    const payers = await Promise.all(Array.from({ length: 20 }, () => payingTo(payee)));
    const endings = await Promise.all(
      Array.from({ length: 600 }, (_, i) =>
        ending(pay(payers[i % payers.length] as string, {}, bank.boxes[(i >> 3) % 2])),
      ),
    );
    expect(endings).toEqual(accepted(600));
    expect(await bank.find(payee)).toMatchObject({ balance: 600, version: 601 });
    for (const id of payers) expect(await bank.find(id)).toMatchObject({ balance: 970, version: 31 });
  });

  test("shows no deadlock where each pays the next, all around, from two mailboxes", async () => {
    const ids = [await bank.open(500), await bank.open(500), await bank.open(500)];
    for (const [i, id] of ids.entries())
      await bank.boxes[0].send(account.annotate, { id, input: ids[(i + 1) % 3] as string, origin });
    const endings = await Promise.all(
      Array.from({ length: 300 }, (_, i) => ending(pay(ids[(i >> 1) % 3] as string, {}, bank.boxes[i % 2]))),
    );
    expect(endings).toEqual(accepted(300));
    // Everyone has paid and was paid 100 times.
    for (const id of ids) expect(await bank.find(id)).toMatchObject({ balance: 500, version: 201 });
  });

  test("sees what a command before it in the batch has made of the record", async () => {
    const [payee, other] = [await bank.open(), await bank.open()];
    const id = await payingTo(payee);
    const [, , third] = await Promise.all([
      pay(id),
      bank.boxes[0].send(account.deposit, { id: payee, input: { amount: 10 }, origin }),
      pay(id),
    ]);
    expect(stateOf(third)).toMatchObject({ balance: 998 });
    expect(await bank.find(payee)).toMatchObject({ balance: 12, version: 4 });
    expect((await bank.find(other)).version).toBe(1);
  });

  test("on a record that is not there, or that no id can name, is none", async () => {
    for (const nobody of [bank.world.newId(), "x".repeat(37), "☃"]) {
      const id = await payingTo(nobody);
      expect(await ending(pay(id))).toBe("accepted");
      expect(await bank.find(id)).toMatchObject({ balance: 1000, version: 1 });
    }
  });

  test("is needed: what is changed without it refuses the command, and leaves its neighbours be", async () => {
    const [one, other] = [await bank.open(5), await bank.open(5)];
    const meddling = bank.boxes[0].send(payer.meddle, { id: one, input: other, origin });
    const deposit = bank.boxes[0].send(account.deposit, { id: one, input: { amount: 1 }, origin });
    expect([await ending(meddling), await ending(deposit)]).toEqual(["Error", "accepted"]);
    expect(await bank.find(one)).toMatchObject({ balance: 6, title: "", version: 2 });
    expect(await bank.find(other)).toMatchObject({ balance: 5, version: 1 });
  });
});

describe("a lock on everyone", () => {
  const join = (tenantId: string, box = bank.boxes[0]) =>
    box.send(payer.join, { input: { tenantId }, origin });

  test("keeps every record of the kind from everybody else", async () => {
    const [id, other, foreign] = [await bank.open(), await bank.open(), await bank.open(0, newTenant())];
    const free: boolean[] = [];
    const during = firstTime(async () => {
      for (const each of [id, other, foreign]) free.push(await isFree(each));
    });
    await bank.boxes[0].send(payer.levy, { id, input: { during }, origin });
    expect(free).toEqual([false, false, false]);
  });

  test("is needed to ask for all of them: some, which others happen to have locked, are never taken for all", () => {
    const draft = new Draft(new Date());
    draft.load(account.table, { id: "a", version: 1, createdAt: new Date(), updatedAt: new Date() });
    expect(() => draft.all(account)).toThrow("Not every account is locked.");
    draft.knowWhole(account.table);
    expect(draft.all(account)).toHaveLength(1);
  });

  test("lets two mailboxes count one after the other: no two newcomers have the same number", async () => {
    const tenantId = newTenant();
    await join(tenantId);
    const joined = await Promise.all(
      Array.from({ length: 100 }, (_, i) => join(tenantId, bank.boxes[(i >> 2) % 2])),
    );
    const numbers = joined.map((outcome) => stateOf(outcome).balance).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
  });

  test("tells all of them, the oldest first, with what the batch itself has made and taken away", async () => {
    const tenantId = newTenant();
    const first = await bank.open(0, tenantId);
    const second = await bank.open(0, tenantId);
    const [made, , counted] = await Promise.all([
      join(tenantId),
      bank.boxes[0].send(account.erase, { id: second, input: {}, origin }),
      bank.boxes[0].send(payer.count, { id: first, input: {}, origin }),
    ]);
    expect(stateOf(counted).note).toBe(`${first} ${stateOf(made).id}`);
  });

  test("keeps no other change out of the sum, from two mailboxes, in any order of locks", async () => {
    const tenantId = newTenant();
    const ids = await Promise.all(Array.from({ length: 5 }, () => bank.open(50, tenantId)));
    const endings = await Promise.all(
      Array.from({ length: 160 }, (_, i) => {
        const [id, to] = [ids[i % 5] as string, ids[(i + 2) % 5] as string];
        const box = bank.boxes[(i >> 1) % 2] as (typeof bank.boxes)[0];
        return ending(
          i % 4 === 0
            ? box.send(payer.levy, { id, input: {}, origin })
            : box.send(account.transfer, { id, input: { to, amount: 0 }, origin }),
        );
      }),
    );
    expect(endings).toEqual(accepted(160));
    const states = await Promise.all(ids.map(bank.find));
    expect(states.reduce((sum, { balance }) => sum + balance, 0)).toBe(250);
  });
});

describe("the records that change beside a command's own", () => {
  test("are told with its outcome, in their order, as they are after it", async () => {
    const payee = await bank.open(5);
    const outcome = await pay(await payingTo(payee));
    if (!("also" in outcome)) throw new Error("It was replayed.");
    expect(outcome.also).toEqual([await bank.find(payee)]);
    expect(outcome.also[0]).toMatchObject({ balance: 6, version: 2 });
    const alone = await bank.boxes[0].send(account.deposit, { id: payee, input: { amount: 1 }, origin });
    expect("also" in alone && alone.also).toEqual([]);
  });

  test("are told each as it was then, where one changes twice in a unit", async () => {
    const payee = await bank.open();
    const id = await payingTo(payee);
    const paying = { command: payer.pay, id, input: { amount: 1 } };
    const outcomes = await bank.boxes[0].sendAll(orders(paying, paying));
    if (!Array.isArray(outcomes)) throw new Error("It was replayed.");
    expect(outcomes.map(({ also }) => also.map((other) => (other as Account).balance))).toEqual([[1], [2]]);
  });

  test("keep version, time and audit where they change quietly; the command's own does not", async () => {
    const payee = await bank.open();
    const id = await payingTo(payee);
    const before = await bank.traces(payee);
    await Promise.all([pay(id, { quiet: true }), pay(id, { quiet: true })]);
    const after = await bank.traces(payee);
    expect(after).toEqual({ ...before, state: { ...before.state, balance: 2 } });
    expect((await bank.traces(id)).audit.map(({ command }) => command)).toEqual(["open", "pay", "pay"]);
    // Loudly again: the version counts on from where it was.
    await pay(id);
    expect(await bank.find(payee)).toMatchObject({ balance: 3, version: 2 });
  });

  test("are made once, when two mailboxes find at once that they are not there", async () => {
    const tenantId = newTenant();
    for (let round = 0; round < 10; round++) {
      const id = bank.world.newId();
      const endings = await Promise.all(
        bank.boxes.flatMap((box) =>
          [1, 2].map(() => ending(box.send(payer.pair, { input: { tenantId, id }, origin }))),
        ),
      );
      expect(endings.sort()).toEqual(["accepted", ...Array(3).fill("already_exists")]);
      expect(await bank.find(id)).toMatchObject({ balance: 2, version: 1 });
    }
    // Nothing is left of those that came too late.
    expect(await bank.rows("SELECT id FROM accounts WHERE tenantId = ?", [tenantId])).toHaveLength(20);
  });
});

/** Whether nobody has locked an account. */
const isFree = (id: string) =>
  bank.rows("SELECT id FROM accounts WHERE id = ? FOR UPDATE NOWAIT", [id]).then(
    () => true,
    (error) => {
      if (error.code !== "ER_LOCK_WAIT_TIMEOUT") throw error;
      return false;
    },
  );
