import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Mailbox, openMailbox } from "../../actors/runtime/mailbox.ts";
import { eventually } from "../streams/bus.ts";
import { account, ending, origin } from "./account.ts";
import { type Bank, connectionOf, firstTime, openBank } from "./bank.ts";

let bank: Bank;
beforeAll(async () => {
  bank = await openBank();
});
afterAll(() => bank[Symbol.asyncDispose]());

const kill = (connection: number) => bank.world.pool.query("KILL CONNECTION ?", [connection]).catch(() => {});
const untilGone = (connection: number) =>
  eventually(async () => {
    const rows = await bank.rows("SELECT 1 FROM information_schema.processlist WHERE id = ?", [connection]);
    return rows.length === 0;
  });
const deposit = (box: Mailbox, id: string, amount = 1) =>
  ending(box.send(account.deposit, { id, input: { amount }, origin }));

/** State, audit and events tell of the same commands: none was done by half. */
async function expectWhole(id: string): Promise<{ balance: number; version: number }> {
  const { state, audit, events } = await bank.traces(id);
  const versions = audit.map(({ version }) => version);
  expect(versions).toEqual(Array.from({ length: state.version }, (_, i) => i + 1));
  expect(events.map(({ sequence }) => sequence)).toEqual(versions.slice(1));
  expect(state.balance).toBe(events.reduce((sum, { data }) => sum + data.amount, 0));
  return state;
}

describe("a connection that is lost", () => {
  test("while it was idle costs at most one `unavailable`; no restart is needed", async () => {
    const id = await bank.open();
    await using box = ownMailbox();
    const connection = await connectionOf(box, id);
    await kill(connection);
    await untilGone(connection);
    const first = await deposit(box, id);
    expect(["accepted", "unavailable"]).toContain(first);
    expect(await deposit(box, id)).toBe("accepted");
    expect((await expectWhole(id)).balance).toBe(first === "accepted" ? 2 : 1);
  });

  test("while it waits for a row answers, leaves nothing by half, and the next command works", async () => {
    const id = await bank.open();
    await using box = ownMailbox();
    const connection = await connectionOf(box, id);
    const holder = await bank.world.pool.getConnection();
    await holder.query("START TRANSACTION");
    await holder.query("SELECT * FROM accounts WHERE id = ? FOR UPDATE", [id]);
    const sent = [deposit(box, id), deposit(box, id)];
    await eventually(async () => {
      const rows = await bank.rows("SELECT info FROM information_schema.processlist WHERE id = ?", [
        connection,
      ]);
      return String(rows[0]?.info).includes("FOR UPDATE");
    });
    await kill(connection);
    await untilGone(connection);
    await holder.query("COMMIT");
    holder.release();
    const endings = await Promise.all(sent);
    expect(["accepted", "unavailable"]).toEqual(expect.arrayContaining(endings));
    expect(await deposit(box, id)).toBe("accepted");
    const accepted = 1 + endings.filter((end) => end === "accepted").length;
    expect((await expectWhole(id)).balance).toBe(accepted);
  });

  test("between the locks and the writes takes the locks with it: nothing is written on a new one", async () => {
    const id = await bank.open();
    await using box = ownMailbox();
    const connection = await connectionOf(box, id);
    const during = firstTime(async (db) => {
      const { stream } = (db as any).$client.connection;
      await kill(connection);
      await eventually(() => stream.destroyed);
      // Another process may change the record as soon as the lock is gone.
      expect(await deposit(bank.boxes[0], id, 10)).toBe("accepted");
    });
    const end = await ending(box.send(account.deposit, { id, input: { amount: 1, during }, origin }));
    expect(["accepted", "unavailable"]).toContain(end);
    expect((await expectWhole(id)).balance).toBe(end === "accepted" ? 11 : 10);
  });

  test("again and again under load leaves nothing by half and nothing uncounted", async () => {
    const ids = await Promise.all([1, 2, 3].map(() => bank.open()));
    await using box = ownMailbox();
    const endings: string[] = [];
    for (let round = 0; round < 12; round++) {
      const connection = await connectionOf(box, ids[0] as string).catch(() => 0);
      const sent = Array.from({ length: 300 }, (_, i) => deposit(box, ids[i % 3] as string));
      await sent[round * 25];
      await kill(connection);
      endings.push(...(await Promise.all(sent)));
    }
    expect(["accepted", "unavailable"]).toEqual(expect.arrayContaining([...new Set(endings)]));
    const states = await Promise.all(ids.map(expectWhole));
    const applied = states.reduce((sum, { balance }) => sum + balance, 0);
    const accepted = endings.filter((end) => end === "accepted").length;
    // Whether a commit whose answer was lost has happened can't be known.
    expect(applied).toBeGreaterThanOrEqual(accepted);
    expect(applied).toBeLessThanOrEqual(endings.length);
    expect(await deposit(box, ids[0] as string)).toBe("accepted");
  });
});

function ownMailbox() {
  const box = openMailbox(bank.world);
  return Object.assign(box, { [Symbol.asyncDispose]: () => box.close() });
}
