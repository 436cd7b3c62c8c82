import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Done, Once } from "../../actors/runtime/mailbox.ts";
import { type Account, account, type During, ending, newNumber, origin } from "./account.ts";
import { type Bank, firstTime, openBank } from "./bank.ts";

let bank: Bank;
beforeAll(async () => {
  bank = await openBank();
});
afterAll(() => bank[Symbol.asyncDispose]());

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const once = (key = newNumber(), body = "body"): Once<Done<Account>> => ({
  id: sha256(key),
  fingerprint: sha256(body),
  status: 201,
  answer: ({ state: { id, balance } }) => ({ id, balance, password: "correct horse" }),
});

describe("a repeated Idempotency-Key", () => {
  test("answers what the first command did, and does nothing", async () => {
    const id = await bank.open();
    const order = { id, input: { amount: 5 }, origin, once: once() };
    await bank.boxes[0].send(account.deposit, order);
    await bank.boxes[0].send(account.deposit, { id, input: { amount: 1 }, origin });
    const repeated = await bank.boxes[1].send(account.deposit, order);
    expect(repeated).toEqual({
      replayed: { status: 201, answer: { id, balance: 5, password: "correct horse" } },
    });
    expect(await bank.find(id)).toMatchObject({ balance: 6, version: 3 });
  });

  test("does nothing in the same batch either", async () => {
    const id = await bank.open();
    const order = { id, input: { amount: 5 }, origin, once: once() };
    const outcomes = await Promise.all([1, 2, 3].map(() => bank.boxes[0].send(account.deposit, order)));
    expect(outcomes.map((outcome) => outcome.replayed?.status)).toEqual([undefined, 201, 201]);
    expect((await bank.find(id)).version).toBe(2);
  });

  test("with another body is refused, later and in the same batch", async () => {
    const id = await bank.open();
    const order = { id, input: { amount: 5 }, origin };
    const endings = await Promise.all([
      ending(bank.boxes[0].send(account.deposit, { ...order, once: once("key-1", "one") })),
      ending(bank.boxes[0].send(account.deposit, { ...order, once: once("key-1", "other") })),
    ]);
    expect(endings).toEqual(["accepted", "idempotency_mismatch"]);
    const later = bank.boxes[1].send(account.deposit, { ...order, once: once("key-1", "other") });
    expect(await ending(later)).toBe("idempotency_mismatch");
    expect((await bank.find(id)).balance).toBe(5);
  });

  test("after a refusal is tried anew", async () => {
    const id = await bank.open();
    const order = { id, input: { amount: 5 }, origin, once: once() };
    expect(await ending(bank.boxes[0].send(account.withdraw, order))).toBe("quota_exceeded");
    await bank.boxes[0].send(account.deposit, { id, input: { amount: 5 }, origin });
    expect(await bank.boxes[0].send(account.withdraw, order)).toMatchObject({ state: { balance: 0 } });
  });

  test("has one effect from two mailboxes at once, on a record that is there", async () => {
    const id = await bank.open();
    const keys = Array.from({ length: 60 }, () => once());
    const outcomes = await Promise.all(
      keys.flatMap((once) =>
        bank.boxes.map((box) => box.send(account.deposit, { id, input: { amount: 1 }, origin, once })),
      ),
    );
    expect(outcomes.filter((outcome) => outcome.replayed)).toHaveLength(60);
    expect(await bank.find(id)).toMatchObject({ balance: 60, version: 61 });
  });

  test("has one effect from two mailboxes at once, on a record that it makes", async () => {
    const tenantId = newNumber();
    const keys = Array.from({ length: 60 }, () => ({ once: once(), number: newNumber() }));
    const outcomes = await Promise.all(
      keys.flatMap(({ once, number }) =>
        bank.boxes.map((box) => box.send(account.open, { input: { tenantId, number }, origin, once })),
      ),
    );
    expect(outcomes.filter((outcome) => outcome.replayed)).toHaveLength(60);
    expect(await bank.rows("SELECT id FROM accounts WHERE tenantId = ?", [tenantId])).toHaveLength(60);
  });

  test("is replayed also when the other mailbox commits it just before the facts are read", async () => {
    const order = { origin, once: once() };
    const input = { tenantId: "tenant-1", number: newNumber() };
    const early = firstTime(() => bank.boxes[1].send(account.open, { ...order, input }));
    const outcome = await bank.boxes[0].send(account.open, { ...order, input: { ...input, early } });
    expect(outcome.replayed?.status).toBe(201);
  });

  test("is replayed also when the other mailbox commits it right after a deadlock", async () => {
    const order = { origin, once: once() };
    const input = { tenantId: "tenant-1", number: newNumber() };
    const deadlock = sql`SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213`;
    let tries = 0;
    const during: During = async (db) => {
      tries += 1;
      if (tries === 1) await db.execute(deadlock);
      if (tries === 2) await bank.boxes[1].send(account.open, { ...order, input });
    };
    const outcome = await bank.boxes[0].send(account.open, { ...order, input: { ...input, during } });
    expect(outcome.replayed?.status).toBe(201);
  });
});

describe("a stored answer", () => {
  test("is sealed", async () => {
    const id = await bank.open();
    const key = once();
    await bank.boxes[0].send(account.deposit, { id, input: { amount: 5 }, origin, once: key });
    const [row] = await bank.rows("SELECT * FROM idempotent_answers WHERE id = ?", [key.id]);
    expect(JSON.stringify(row)).not.toContain("horse");
    expect(JSON.parse(bank.world.vault.open(row.sealedAnswer))).toEqual({
      id,
      balance: 5,
      password: "correct horse",
    });
  });
});
