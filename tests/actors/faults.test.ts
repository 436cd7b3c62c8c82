import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import type { Mailbox } from "../../actors/runtime/mailbox.ts";
import { eventually } from "../streams/bus.ts";
import { account, ending, newNumber, origin, plainAccount } from "./account.ts";
import { type Bank, connectionOf, firstTime, openBank } from "./bank.ts";

let bank: Bank;
let box: Mailbox;
beforeAll(async () => {
  bank = await openBank();
  box = bank.boxes[0];
});
afterAll(() => bank[Symbol.asyncDispose]());

const deposit = (id: string, amount = 1) => box.send(account.deposit, { id, input: { amount }, origin });
const opening = (number = newNumber()) => ({ tenantId: "tenant-1", number });

/** A row as another program writes it. */
const insertElsewhere = (number: string) =>
  bank.world.pool.query(
    "INSERT INTO accounts (id, version, createdAt, updatedAt, tenantId, number, title, status, balance) VALUES (?, 1, NOW(), NOW(), 't', ?, '', 'OPEN', 0)",
    [bank.world.newId(), number],
  );

describe("a duplicate key", () => {
  test("refuses the one command that meets it; the rest of the batch is committed", async () => {
    const [id, taken] = [await bank.open(), newNumber()];
    await box.send(account.open, { input: opening(taken), origin });
    const openings = Array.from({ length: 20 }, () =>
      ending(box.send(account.open, { input: opening(), origin })),
    );
    const endings: string[] = await Promise.all([
      ending(deposit(id)),
      ...openings,
      ending(box.send(account.renumber, { id, input: taken, origin })),
      ending(deposit(id)),
    ]);
    expect(endings).toEqual([...Array(21).fill("accepted"), "already_exists", "accepted"]);
    expect(await bank.find(id)).toMatchObject({ balance: 2, version: 3 });
    expect((await bank.traces(id)).audit.map(({ command }) => command)).toEqual([
      "open",
      "deposit",
      "deposit",
    ]);
  });

  test("leaves the record that had the key first as it is", async () => {
    const [id, other] = [await bank.open(), await bank.open(9)];
    const { number } = await bank.find(other);
    expect(await ending(box.send(account.renumber, { id, input: number, origin }))).toBe("already_exists");
    expect(await bank.find(other)).toMatchObject({ number, balance: 9, version: 1 });
    expect((await bank.find(id)).version).toBe(1);
  });

  test("between two commands of a batch accepts the first", async () => {
    const number = newNumber();
    const endings = await Promise.all(
      [1, 2, 3].map(() => ending(box.send(account.open, { input: opening(number), origin }))),
    );
    expect(endings).toEqual(["accepted", "already_exists", "already_exists"]);
  });

  test.each([
    ["with an audit", account.open],
    ["without one", plainAccount.open as typeof account.open],
  ])("of the id itself is met in one batch as well (records %s)", async (_, command) => {
    const id = bank.world.newId();
    const [first, second] = [opening(), opening()];
    const endings = await Promise.all(
      [first, second].map((input) => ending(box.send(command, { id, input, origin }))),
    );
    expect(endings).toEqual(["accepted", "already_exists"]);
    expect((await bank.find(id)).number).toBe(first.number);
  });

  test("that comes between fact and commit is read on the second try", async () => {
    const [id, number] = [await bank.open(), newNumber()];
    const during = firstTime(() => insertElsewhere(number));
    const refusal = box.send(account.open, { input: { ...opening(number), during }, origin });
    const [message] = await Promise.all([refusal.catch((error) => error.message), deposit(id)]);
    expect(message).toBe("The number is taken.");
    expect((await bank.find(id)).balance).toBe(1);
  });
});

describe("any other fault of SQL", () => {
  test.each([
    [
      "a value that is too long",
      "ER_DATA_TOO_LONG",
      () => ({ command: account.retitle, input: "x".repeat(11) }),
    ],
    // mysql2 gives MariaDB's 4025 the name that MySQL has for it.
    ["a CHECK", "ER_INNODB_AUTOEXTEND_SIZE_OUT_OF_RANGE", () => ({ command: account.force, input: -9 })],
    [
      "a number out of range",
      "ER_WARN_DATA_OUT_OF_RANGE",
      () => ({ command: account.force, input: 2 ** 40 }),
    ],
    ["a value that can't be written", "TypeError", () => ({ command: account.deposit, input: null })],
  ])("%s rejects that command alone, with its error", async (_, code, wrong) => {
    const [one, other] = [await bank.open(), await bank.open()];
    const { command, input } = wrong() as { command: typeof account.force; input: number };
    const endings = await Promise.all([
      ending(deposit(one)),
      ending(box.send(command, { id: one, input, origin })),
      ending(deposit(other)),
      ending(deposit(one)),
    ]);
    expect(endings).toEqual(["accepted", code, "accepted", "accepted"]);
    expect(await bank.find(one)).toMatchObject({ balance: 2, version: 3 });
    expect(await bank.find(other)).toMatchObject({ balance: 1, version: 2 });
  });

  test("a fact that can't be read rejects its command alone", async () => {
    const [one, other] = [await bank.open(), await bank.open()];
    const during = (db: any) => db.execute(sql`SELECT * FROM nowhere`);
    const endings = await Promise.all([
      ending(deposit(one)),
      ending(box.send(account.deposit, { id: one, input: { amount: 1, during }, origin })),
      ending(deposit(other)),
    ]);
    expect(endings[1]).not.toBe("accepted");
    expect([(await bank.find(one)).balance, (await bank.find(other)).balance]).toEqual([1, 1]);
  });

  test("a batch that is larger than a packet of the server is committed in parts", async () => {
    const ids = await Promise.all([1, 2, 3].map(() => bank.open()));
    const note = "x".repeat(6 * 1024 * 1024);
    const endings = await Promise.all(
      ids.map((id) => ending(box.send(account.annotate, { id, input: note, origin }))),
    );
    expect(endings).toEqual(["accepted", "accepted", "accepted"]);
  });
});

describe("a row that another connection holds", () => {
  /** Changes the account and keeps its lock until it is released. */
  async function hold(id: string) {
    const holder = await bank.world.pool.getConnection();
    const release = async () => {
      await holder.query("COMMIT");
    };
    await holder.query("START TRANSACTION");
    // Changes weigh in the choice of a deadlock's victim: it is never the holder.
    await holder.query("UPDATE accounts SET balance = balance + 100 WHERE id = ?", [id]);
    return {
      holder,
      release,
      async [Symbol.asyncDispose]() {
        await release();
        holder.release();
      },
    };
  }
  /** Until a connection waits for a row; the tables of information_schema stand still while they are polled. */
  const untilBlocked = (connection: number) =>
    eventually(async () => {
      const [status] = await bank.rows("SHOW ENGINE INNODB STATUS");
      const transactions: string[] = status.Status.split("---TRANSACTION");
      return transactions.some(
        (text) => text.includes("LOCK WAIT") && text.includes(`thread id ${connection},`),
      );
    });

  test("is waited for, and then read as it was left", async () => {
    const id = await bank.open();
    const connection = await connectionOf(box, id);
    await using held = await hold(id);
    const sent = ending(deposit(id));
    await untilBlocked(connection);
    await held.release();
    expect(await sent).toBe("accepted");
    expect((await bank.find(id)).balance).toBe(101);
  });

  test("in a deadlock makes the batch run again, and the caller learns nothing of it", async () => {
    const [first, second] = [await bank.open(10), await bank.open()];
    const connection = await connectionOf(box, first);
    await using held = await hold(second);
    const sent = ending(box.send(account.transfer, { id: first, input: { to: second, amount: 3 }, origin }));
    await untilBlocked(connection);
    // The batch has `first` and waits for `second`: this is answered only once the batch was rolled back.
    await held.holder.query("SELECT * FROM accounts WHERE id = ? FOR UPDATE", [first]);
    await held.release();
    expect(await sent).toBe("accepted");
    expect([(await bank.find(first)).balance, (await bank.find(second)).balance]).toEqual([7, 103]);
  });

  test("for too long makes the batch run again", async () => {
    const [id, other] = [await bank.open(), await bank.open()];
    await using held = await hold(other);
    let tries = 0;
    const during = async (db: any) => {
      tries += 1;
      if (tries === 3) await held.release();
      await db.execute(sql`SELECT id FROM accounts WHERE id = ${other} FOR UPDATE NOWAIT`);
    };
    const endings = await Promise.all([
      ending(box.send(account.deposit, { id, input: { amount: 1, during }, origin })),
      ending(deposit(id)),
    ]);
    expect(endings).toEqual(["accepted", "accepted"]);
    expect(tries).toBe(3);
    expect(await bank.find(id)).toMatchObject({ balance: 2, version: 3 });
  });
});
