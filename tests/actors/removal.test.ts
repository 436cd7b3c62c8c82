import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Unit } from "../../actors/runtime/mailbox.ts";
import { account, ending, newNumber, origin } from "./account.ts";
import { type Bank, openBank, stateOf } from "./bank.ts";

let bank: Bank;
beforeAll(async () => {
  bank = await openBank();
});
afterAll(() => bank[Symbol.asyncDispose]());

const erase = (id: string, box = bank.boxes[0]) => box.send(account.erase, { id, input: {}, origin });
const deposit = (id: string, box = bank.boxes[0]) =>
  box.send(account.deposit, { id, input: { amount: 1 }, origin });
const rowsOf = (id: string) => bank.rows("SELECT id, title FROM accounts WHERE id = ?", [id]);
const orders = (...list: object[]) =>
  list.map((order) => ({ origin, ...order })) as unknown as Unit["orders"];
const newEvent = () => ({ group: "tests", eventId: bank.world.newId() });

/** What the command has left beside the record. */
async function tracesOf(id: string) {
  const [audit, events, jobs] = await Promise.all([
    bank.rows("SELECT version, command, detail FROM audit_entries WHERE recordId = ? ORDER BY version", [id]),
    bank.rows("SELECT envelope FROM outbox_events WHERE envelope LIKE ?", [`%"subject":"${id}"%`]),
    bank.rows("SELECT kind FROM jobs WHERE `key` = ?", [id]),
  ]);
  return { audit, events: events.map(({ envelope }) => JSON.parse(envelope)), jobs };
}

describe("a removed record", () => {
  test("is gone, with its last state as the outcome", async () => {
    const id = await bank.open(7);
    const before = await bank.find(id);
    const outcome = await erase(id);
    expect(outcome).toMatchObject({ before, state: { ...before, version: 2, title: "erased" } });
    expect(await rowsOf(id)).toEqual([]);
  });

  test("leaves the audit, the event and the job of its removal", async () => {
    const id = await bank.open(7);
    await erase(id);
    const { audit, events, jobs } = await tracesOf(id);
    expect(audit.map(({ version, command }) => [version, command])).toEqual([
      [1, "open"],
      [2, "erase"],
    ]);
    expect(audit[1].detail).toEqual({ left: 7 });
    expect(events.map(({ sequence, tenantId, data }) => [sequence, tenantId, data.amount])).toEqual([
      [2, "tenant-1", 7],
    ]);
    expect(jobs).toEqual([{ kind: "account.remind" }]);
  });

  test("is not there for the next commands of its batch, nor for later ones", async () => {
    const id = await bank.open();
    const sent = [deposit(id), erase(id), deposit(id), erase(id)];
    expect(await Promise.all(sent.map(ending))).toEqual(["accepted", "accepted", "not_found", "not_found"]);
    expect(await ending(deposit(id))).toBe("not_found");
    expect(await rowsOf(id)).toEqual([]);
    expect((await tracesOf(id)).audit.map(({ command }) => command)).toEqual(["open", "deposit", "erase"]);
  });

  test("can be made in the same batch", async () => {
    const id = bank.world.newId();
    const input = { tenantId: "tenant-1", number: newNumber() };
    const open = bank.boxes[0].send(account.open, { id, input, origin });
    expect(await Promise.all([open, erase(id)].map(ending))).toEqual(["accepted", "accepted"]);
    expect(await rowsOf(id)).toEqual([]);
    expect((await tracesOf(id)).audit.map(({ command }) => command)).toEqual(["open", "erase"]);
  });

  test("can be made anew in the same batch", async () => {
    const id = await bank.open();
    // The audit numbers by version, and the new record begins at 1 again.
    await bank.rows("DELETE FROM audit_entries WHERE recordId = ?", [id]);
    const input = { tenantId: "tenant-1", number: newNumber() };
    const unit = orders({ command: account.erase, id, input: {} }, { command: account.open, id, input });
    await bank.boxes[0].apply(newEvent(), unit);
    expect(await bank.find(id)).toMatchObject({ version: 1, title: "", number: input.number });
  });

  test("is there again where its unit is refused, and its neighbours are committed", async () => {
    const [id, poor] = [await bank.open(7), await bank.open()];
    const withdraw = { command: account.withdraw, id: poor, input: { amount: 1 } };
    const unit = orders(
      { command: account.deposit, id, input: { amount: 1 } },
      { command: account.erase, id, input: {} },
      withdraw,
    );
    const endings = await Promise.all([
      ending(bank.boxes[0].apply(newEvent(), unit)),
      ending(deposit(id)),
      ending(deposit(poor)),
    ]);
    expect(endings).toEqual(["quota_exceeded", "accepted", "accepted"]);
    expect(await bank.find(id)).toMatchObject({ balance: 8, version: 2 });
    expect((await tracesOf(id)).audit.map(({ command }) => command)).toEqual(["open", "deposit"]);
  });

  test("does not come back by a command from another process", async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => bank.open()));
    const [one, other] = bank.boxes;
    const sent = ids.flatMap((id) => [
      deposit(id, other),
      erase(id, one),
      deposit(id, other),
      deposit(id, one),
    ]);
    const endings = await Promise.all(sent.map(ending));
    expect(endings.filter((end) => end !== "accepted" && end !== "not_found")).toEqual([]);
    expect(await bank.rows("SELECT id FROM accounts WHERE id IN (?)", [ids])).toEqual([]);
  });

  test("is removed once by two who name the same version", async () => {
    const id = await bank.open();
    const sent = bank.boxes.map((box) => box.send(account.erase, { id, input: {}, origin, ifMatch: [1] }));
    expect((await Promise.all(sent.map(ending))).sort()).toEqual(["accepted", "not_found"]);
  });

  test("of another tenant stays", async () => {
    const id = await bank.open();
    const stranger = { ...origin, scope: "tenant-2" };
    expect(await ending(bank.boxes[0].send(account.erase, { id, input: {}, origin: stranger }))).toBe(
      "not_found",
    );
    expect(await rowsOf(id)).toHaveLength(1);
  });

  test("answers a repeated Idempotency-Key as the first time", async () => {
    const id = await bank.open();
    const once = {
      id: "e".repeat(64),
      fingerprint: "f".repeat(64),
      status: 200,
      answer: () => ({ deleted: true }),
    };
    const send = () => bank.boxes[0].send(account.erase, { id, input: {}, origin, once });
    expect(stateOf(await send()).id).toBe(id);
    expect(await send()).toEqual({ replayed: { status: 200, answer: { deleted: true } } });
  });
});
