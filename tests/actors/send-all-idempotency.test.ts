import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import type { Done, Once, Unit } from "../../actors/runtime/mailbox.ts";
import { type Account, account, ending, newNumber, origin } from "./account.ts";
import { type Bank, openBank, stateOf } from "./bank.ts";
import { deposit, orders, withdraw } from "./orders.ts";

let bank: Bank;
beforeAll(async () => {
  bank = await openBank();
});
afterAll(() => bank[Symbol.asyncDispose]());

const open = () => ({ command: account.open, input: { tenantId: "tenant-1", number: newNumber() } });
const sendAll = (unit: Unit["orders"], once: Once<Done<unknown>[]>, box = bank.boxes[0]) =>
  box.sendAll(unit, once);
const single = (id: string, amount: number) =>
  bank.boxes[0].send(account.deposit, { id, input: { amount }, origin });

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const newOnce = (key = newNumber(), body = "body"): Once<Done<unknown>[]> => ({
  id: sha256(key),
  fingerprint: sha256(body),
  status: 200,
  answer: (outcomes) => ({ balances: (outcomes as Done<Account>[]).map(({ state }) => state.balance) }),
});

describe("an Idempotency-Key of commands sent together", () => {
  test("is one for the whole: a replay answers the same and does nothing", async () => {
    const [one, other] = [await bank.open(), await bank.open()];
    const [unit, once] = [orders(deposit(one, 1), deposit(other, 2), open()), newOnce()];
    const [first, ...others] = await Promise.all([
      sendAll(unit, once),
      sendAll(unit, once),
      sendAll(unit, once),
    ]);
    expect((first as Done<Account>[]).map(({ state }) => state.balance)).toEqual([1, 2, 0]);
    await single(one, 100);
    const replays = [...others, await sendAll(unit, once), await sendAll(unit, once, bank.boxes[1])];
    const stored = { replayed: { status: 200, answer: { balances: [1, 2, 0] } } };
    expect(replays).toEqual(Array(4).fill(stored));
    expect(await bank.find(one)).toMatchObject({ balance: 101, version: 3 });
    expect(await bank.find(other)).toMatchObject({ balance: 2, version: 2 });
    expect(await bank.rows("SELECT id FROM idempotent_answers WHERE id = ?", [once.id])).toHaveLength(1);
  });

  test("with another body is refused, in the same batch and later", async () => {
    const [id, key] = [await bank.open(), newNumber()];
    const send = (body: string, box = bank.boxes[0]) =>
      ending(sendAll(orders(deposit(id, 1), deposit(id, 1)), newOnce(key, body), box));
    expect(await Promise.all([send("one"), send("other")])).toEqual(["accepted", "idempotency_mismatch"]);
    expect(await send("other", bank.boxes[1])).toBe("idempotency_mismatch");
    expect((await bank.find(id)).version).toBe(3);
  });

  test("is not used up by a refusal", async () => {
    const [id, once] = [await bank.open(), newOnce()];
    const unit = orders(deposit(id, 1), withdraw(id, 5));
    expect(await ending(sendAll(unit, once))).toBe("quota_exceeded");
    await single(id, 4);
    expect(await ending(sendAll(unit, once))).toBe("accepted");
    expect(await sendAll(unit, once)).toEqual({ replayed: { status: 200, answer: { balances: [5, 0] } } });
    expect((await bank.find(id)).balance).toBe(0);
  });

  test("counts once from two mailboxes at once", async () => {
    const id = await bank.open();
    const keys = Array.from({ length: 30 }, () => newOnce());
    const outcomes = await Promise.all(
      keys.flatMap((once) => bank.boxes.map((box) => sendAll(orders(deposit(id, 1), open()), once, box))),
    );
    expect(outcomes.filter((outcome) => "replayed" in outcome)).toHaveLength(30);
    expect(await bank.find(id)).toMatchObject({ balance: 30, version: 31 });
  });

  test("of no commands is kept as well", async () => {
    const once = newOnce();
    expect(await sendAll([], once)).toEqual([]);
    expect(await sendAll([], once)).toEqual({ replayed: { status: 200, answer: { balances: [] } } });
  });

  test("is the same for a single command and for one sent alone together", async () => {
    const id = await bank.open();
    const once = newOnce();
    const input = { amount: 5 };
    const answer = ({ state: { balance } }: Done<Account>) => ({ balance });
    const sent = { id, input, origin, once: { ...once, answer } };
    expect(stateOf(await bank.boxes[0].send(account.deposit, sent)).balance).toBe(5);
    expect(await sendAll(orders(deposit(id, 5)), { ...once, answer: () => null })).toEqual({
      replayed: { status: 200, answer: { balance: 5 } },
    });
  });
});
