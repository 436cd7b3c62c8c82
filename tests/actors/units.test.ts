import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { account, ending, newNumber, origin } from "./account.ts";
import { type Bank, openBank } from "./bank.ts";
import { deposit, orders } from "./orders.ts";

let bank: Bank;
beforeAll(async () => {
  bank = await openBank();
});
afterAll(() => bank[Symbol.asyncDispose]());

const newEvent = () => ({ group: "tests", eventId: bank.world.newId() });
const handled = async ({ eventId }: { eventId: string }) =>
  (await bank.rows("SELECT 1 FROM applied_events WHERE eventId = ?", [eventId])).length;

describe("the effects of an event", () => {
  test("are committed together with the note that it was handled", async () => {
    const [one, other] = [await bank.open(), await bank.open()];
    const event = newEvent();
    await bank.boxes[0].apply(event, orders(deposit(one, 1), deposit(other, 2)));
    expect([(await bank.find(one)).balance, (await bank.find(other)).balance]).toEqual([1, 2]);
    expect(await handled(event)).toBe(1);
  });

  test("are whole or not at all, and the neighbours are committed", async () => {
    const [one, other, neighbour] = [await bank.open(10), await bank.open(), await bank.open()];
    const event = newEvent();
    const withdraw = { command: account.withdraw, id: other, input: { amount: 1 } };
    const [end] = await Promise.all([
      ending(bank.boxes[0].apply(event, orders(deposit(one, 5), withdraw))),
      bank.boxes[0].apply(newEvent(), orders(deposit(neighbour, 1))),
      bank.boxes[0].send(account.deposit, { id: one, input: { amount: 100 }, origin }),
    ]);
    expect(end).toBe("quota_exceeded");
    expect(await handled(event)).toBe(0);
    expect(await bank.find(one)).toMatchObject({ balance: 110, version: 2 });
    expect((await bank.traces(one)).events.map(({ data }) => data.amount)).toEqual([100]);
    expect((await bank.find(neighbour)).balance).toBe(1);
  });

  test("refused the first time are applied when the event comes again", async () => {
    const [one, other] = [await bank.open(), await bank.open()];
    const event = newEvent();
    const transfer = { command: account.transfer, id: one, input: { to: other, amount: 5 } };
    expect(await ending(bank.boxes[0].apply(event, orders(transfer)))).toBe("quota_exceeded");
    await bank.boxes[0].send(account.deposit, { id: one, input: { amount: 5 }, origin });
    expect(await ending(bank.boxes[0].apply(event, orders(transfer)))).toBe("accepted");
    expect((await bank.find(other)).balance).toBe(5);
  });

  test("come once, also when the event is sent twice at once", async () => {
    const id = await bank.open();
    const event = newEvent();
    const apply = () => bank.boxes[0].apply(event, orders(deposit(id, 1)));
    await Promise.all([apply(), apply(), apply()]);
    await apply();
    expect(await bank.find(id)).toMatchObject({ balance: 1, version: 2 });
  });

  test("come once from two mailboxes, also where the two lock nothing in common", async () => {
    const id = await bank.open();
    const events = Array.from({ length: 40 }, newEvent);
    const owner = newNumber();
    const opening = () => ({
      command: account.open,
      input: { tenantId: owner, number: newNumber() },
    });
    await Promise.all(
      events.flatMap((event, i) =>
        bank.boxes.map((box) => box.apply(event, orders(i % 2 ? deposit(id, 1) : opening()))),
      ),
    );
    expect(await bank.find(id)).toMatchObject({ balance: 20, version: 21 });
    expect(await bank.rows("SELECT id FROM accounts WHERE tenantId = ?", [owner])).toHaveLength(20);
  });

  test("are for each group its own", async () => {
    const id = await bank.open();
    const { eventId } = newEvent();
    for (const group of ["one", "other", "one"]) {
      await bank.boxes[0].apply({ eventId, group }, orders(deposit(id, 1)));
    }
    expect((await bank.find(id)).balance).toBe(2);
  });

  test("that the record has already passed count as done; the others of the event are committed", async () => {
    const [closed, open] = [await bank.open(), await bank.open()];
    await bank.boxes[0].send(account.close, { id: closed, input: {}, origin });
    const event = newEvent();
    await bank.boxes[0].apply(event, orders(deposit(closed, 1), deposit(open, 1)));
    expect([(await bank.find(closed)).balance, (await bank.find(open)).balance]).toEqual([0, 1]);
    expect(await handled(event)).toBe(1);
  });

  test("more than a batch holds are still one commit", async () => {
    const id = await bank.open();
    const event = newEvent();
    const many = Array.from({ length: 300 }, () => deposit(id, 1));
    const tooMuch = { command: account.withdraw, id, input: { amount: 1000 } };
    expect(await ending(bank.boxes[0].apply(event, orders(...many, tooMuch)))).toBe("quota_exceeded");
    expect((await bank.find(id)).version).toBe(1);
    await bank.boxes[0].apply(event, orders(...many));
    expect((await bank.find(id)).version).toBe(301);
  });
});
