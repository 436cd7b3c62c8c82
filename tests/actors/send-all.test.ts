import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Done, Unit } from "../../actors/runtime/mailbox.ts";
import { type Account, account, ending, newNumber, origin } from "./account.ts";
import { type Bank, openBank } from "./bank.ts";
import { deposit, orders, withdraw } from "./orders.ts";

/* Commands that succeed or fail together: `sendAll`. */

let bank: Bank;
beforeAll(async () => {
  bank = await openBank();
});
afterAll(() => bank[Symbol.asyncDispose]());

const open = (number = newNumber(), tenantId = "tenant-1") => ({
  command: account.open,
  input: { tenantId, number },
});
const sendAll = (unit: Unit["orders"], box = bank.boxes[0]) => box.sendAll(unit);
/** What a unit came to; throws where it was replayed. */
async function done(...list: object[]) {
  const outcomes = await sendAll(orders(...list));
  if (!Array.isArray(outcomes)) throw new Error("The unit was replayed.");
  return outcomes as Done<Account>[];
}
const single = (id: string, amount: number) =>
  bank.boxes[0].send(account.deposit, { id, input: { amount }, origin });

describe("commands sent together", () => {
  test("come to their outcomes in their order, each seeing the one before it", async () => {
    const [one, other] = [await bank.open(1), await bank.open(2)];
    const fresh = open();
    const outcomes = await done(deposit(other, 5), withdraw(one, 1), fresh, deposit(other, 1));
    expect(outcomes.map(({ state, before }) => [before?.balance, state.balance, state.version])).toEqual([
      [2, 7, 2],
      [1, 0, 2],
      [undefined, 0, 1],
      [7, 8, 3],
    ]);
    expect(outcomes.map(({ state }) => state.id).slice(0, 2)).toEqual([other, one]);
    expect(outcomes[2]).toMatchObject({ before: null, state: fresh.input });
    for (const { state } of outcomes.slice(1)) expect(await bank.find(state.id)).toEqual(state);
  });

  test("leave an audit entry and an event each, in their order", async () => {
    const id = await bank.open();
    await done(deposit(id, 1), withdraw(id, 1), deposit(id, 2));
    const { audit, events } = await bank.traces(id);
    const commands = audit.map(({ version, command }) => `${version} ${command}`);
    expect(commands).toEqual(["1 open", "2 deposit", "3 withdraw", "4 deposit"]);
    expect(events.map(({ sequence, data }) => [sequence, data.amount])).toEqual([
      [2, 1],
      [4, 2],
    ]);
  });

  test("are all refused with one of them, and the others of the batch go on", async () => {
    const [one, poor, neighbour] = [await bank.open(10), await bank.open(), await bank.open()];
    const number = newNumber();
    const endings = await Promise.all([
      ending(single(one, 100)),
      ending(sendAll(orders(deposit(one, 5), open(number), withdraw(poor, 1), deposit(neighbour, 5)))),
      ending(single(neighbour, 1)),
      ending(sendAll(orders(deposit(poor, 1), withdraw(one, 110)))),
    ]);
    expect(endings).toEqual(["accepted", "quota_exceeded", "accepted", "accepted"]);
    expect(await bank.find(one)).toMatchObject({ balance: 0, version: 3 });
    expect(await bank.find(poor)).toMatchObject({ balance: 1, version: 2 });
    expect(await bank.find(neighbour)).toMatchObject({ balance: 1, version: 2 });
    expect(await bank.rows("SELECT id FROM accounts WHERE number = ?", [number])).toEqual([]);
    const { audit, events } = await bank.traces(one);
    expect(audit.map(({ command }) => command)).toEqual(["open", "deposit", "withdraw"]);
    expect(events.map(({ data }) => data.amount)).toEqual([100]);
  });

  test.each([
    ["a record that is not there", "not_found", () => deposit("nobody", 1)],
    ["a bug", "TypeError", (id: string) => ({ command: account.crash, id, input: {} })],
    [
      "a fault of SQL",
      "ER_DATA_TOO_LONG",
      (id: string) => ({ command: account.retitle, id, input: "x".repeat(11) }),
    ],
    ["a stale version", "precondition_failed", (id: string) => ({ ...deposit(id, 1), ifMatch: [7] })],
    [
      "another's record",
      "not_found",
      (id: string) => ({ ...deposit(id, 1), origin: { ...origin, scope: "tenant-2" } }),
    ],
  ])("are all refused for %s, at whichever place", async (_, code, wrong) => {
    const [one, other] = [await bank.open(), await bank.open()];
    for (const place of [0, 1, 2]) {
      const list: object[] = [deposit(one, 1), deposit(other, 1)];
      list.splice(place, 0, wrong(other));
      const [end, neighbour] = await Promise.all([ending(sendAll(orders(...list))), ending(single(one, 1))]);
      expect([end, neighbour]).toEqual([code, "accepted"]);
    }
    expect(await bank.find(one)).toMatchObject({ balance: 3, version: 4 });
    expect(await bank.find(other)).toMatchObject({ balance: 0, version: 1 });
  });

  test("are all refused for a number that another process takes meanwhile", async () => {
    const id = await bank.open();
    const endings = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const number = newNumber();
        const units = bank.boxes.map((box) => ending(sendAll(orders(deposit(id, 1), open(number)), box)));
        return (await Promise.all(units)).sort();
      }),
    );
    expect(endings).toEqual(Array(20).fill(["accepted", "already_exists"]));
    expect(await bank.find(id)).toMatchObject({ balance: 20, version: 21 });
  });

  test("are one commit: nobody sees some of them", async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => bank.open()));
    const units = Array.from({ length: 15 }, (_, i) =>
      sendAll(orders(...(i % 2 ? ids : ids.toReversed()).map((id) => deposit(id, 1))), bank.boxes[i % 2]),
    );
    let going = true;
    const watching = (async () => {
      const seen = new Set<number>();
      while (going) {
        const rows = await bank.rows("SELECT balance FROM accounts WHERE id IN (?)", [ids]);
        seen.add(new Set(rows.map(({ balance }) => balance)).size);
      }
      return [...seen];
    })();
    await Promise.all(units);
    going = false;
    expect(await watching).toEqual([1]);
    for (const id of ids) expect(await bank.find(id)).toMatchObject({ balance: 15, version: 16 });
  });

  test("may be more than a batch holds", async () => {
    const [id, neighbour] = [await bank.open(), await bank.open()];
    const many = Array.from({ length: 300 }, () => deposit(id, 1));
    const fresh = Array.from({ length: 300 }, () => open(newNumber(), "tenant-many"));
    const [refused, outcomes] = await Promise.all([
      ending(sendAll(orders(...fresh, ...many, withdraw(id, 1000)))),
      done(...many, ...fresh),
      single(neighbour, 1),
    ]);
    expect(refused).toBe("quota_exceeded");
    expect(outcomes.slice(0, 300).map(({ state }) => state.version)).toEqual(many.map((_, i) => i + 2));
    expect(await bank.find(id)).toMatchObject({ balance: 300, version: 301 });
    const made = await bank.rows("SELECT id FROM accounts WHERE tenantId = 'tenant-many'");
    expect(new Set(made.map(({ id }) => id))).toEqual(
      new Set(outcomes.slice(300).map(({ state }) => state.id)),
    );
    expect((await bank.find(neighbour)).balance).toBe(1);
  });

  test("may be none", async () => {
    expect(await done()).toEqual([]);
  });

  test("are refused where they are too large for one commit", async () => {
    const id = await bank.open();
    const note = { command: account.annotate, id, input: Buffer.alloc(2 ** 26, "x").toString("latin1") };
    expect(await ending(sendAll(orders(deposit(id, 1), note)))).toBe("body_too_large");
    await single(id, 2);
    expect(await bank.find(id)).toMatchObject({ balance: 2, note: null });
  });
});
