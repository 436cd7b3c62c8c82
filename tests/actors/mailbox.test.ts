import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openMailbox } from "../../actors/runtime/mailbox.ts";
import { account, askedNumbers, ending, newNumber, origin } from "./account.ts";
import { type Bank, openBank, stateOf } from "./bank.ts";

let bank: Bank;
beforeAll(async () => {
  bank = await openBank();
});
afterAll(() => bank[Symbol.asyncDispose]());

describe("commands on one record", () => {
  test("600 at once are applied one after the other, in the order they were sent", async () => {
    const id = await bank.open();
    const [box] = bank.boxes;
    const amounts = Array.from({ length: 600 }, (_, i) => i + 1);
    const outcomes = await Promise.all(
      amounts.map((amount) => box.send(account.deposit, { id, input: { amount }, origin })),
    );
    expect(outcomes.map((outcome) => stateOf(outcome).version)).toEqual(amounts.map((n) => n + 1));
    let balance = 0;
    for (const [i, outcome] of outcomes.entries()) {
      expect(outcome.replayed ? null : outcome.before?.balance).toBe(balance);
      balance += amounts[i] as number;
      expect(stateOf(outcome).balance).toBe(balance);
    }
  });

  test("state, audit and events agree on exactly the accepted ones", async () => {
    const id = await bank.open(50);
    const [box] = bank.boxes;
    const sent = Array.from({ length: 300 }, (_, i) =>
      i % 3 === 0
        ? box.send(account.deposit, { id, input: { amount: 2 }, origin })
        : box.send(account.withdraw, { id, input: { amount: 3 }, origin }),
    );
    const endings = await Promise.all(sent.map(ending));
    expect(new Set(endings)).toEqual(new Set(["accepted", "quota_exceeded"]));
    const deposits = endings.filter((end, i) => end === "accepted" && i % 3 === 0).length;
    const withdrawals = endings.filter((end, i) => end === "accepted" && i % 3 !== 0).length;
    const { state, audit, events } = await bank.traces(id);
    expect(deposits).toBe(100);
    expect(state.balance).toBe(50 + 2 * deposits - 3 * withdrawals);
    expect(state.version).toBe(1 + deposits + withdrawals);
    expect(audit.map(({ version }) => version)).toEqual(
      Array.from({ length: state.version }, (_, i) => i + 1),
    );
    const audited = audit.filter(({ command }) => command === "deposit").map(({ version }) => version);
    expect(events.map(({ sequence }) => sequence)).toEqual(audited);
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(deposits);
  });

  test("a refused one changes nothing and hinders none of its neighbours", async () => {
    const [box] = bank.boxes;
    const [one, other] = [await bank.open(), await bank.open()];
    const endings = await Promise.all([
      ending(box.send(account.deposit, { id: one, input: { amount: 1 }, origin })),
      ending(box.send(account.withdraw, { id: one, input: { amount: 5 }, origin })),
      ending(box.send(account.deposit, { id: other, input: { amount: 1 }, origin })),
      ending(box.send(account.deposit, { id: one, input: { amount: 1 }, origin })),
    ]);
    expect(endings).toEqual(["accepted", "quota_exceeded", "accepted", "accepted"]);
    const { state, audit } = await bank.traces(one);
    expect(state).toMatchObject({ balance: 2, version: 3 });
    expect(audit.map(({ command }) => command)).toEqual(["open", "deposit", "deposit"]);
    expect(await bank.find(other)).toMatchObject({ balance: 1, version: 2 });
  });

  test("a decision that throws something else than a refusal fails alone, with its own error", async () => {
    const id = await bank.open();
    const [box] = bank.boxes;
    const before = box.send(account.deposit, { id, input: { amount: 1 }, origin });
    const crash = box.send(account.crash, { id, input: {}, origin });
    const after = box.send(account.deposit, { id, input: { amount: 1 }, origin });
    await expect(crash).rejects.toThrow(new TypeError("a bug"));
    expect([stateOf(await before).version, stateOf(await after).version]).toEqual([2, 3]);
  });

  test("a record can be opened and used in one batch", async () => {
    const [box] = bank.boxes;
    const id = bank.world.newId();
    const input = { tenantId: "tenant-1", number: newNumber() };
    const endings = await Promise.all([
      ending(box.send(account.open, { id, input, origin })),
      ending(box.send(account.deposit, { id, input: { amount: 4 }, origin })),
    ]);
    expect(endings).toEqual(["accepted", "accepted"]);
    expect(await bank.find(id)).toMatchObject({ balance: 4, version: 2 });
  });

  test("the commands of a batch share one query for a fact", async () => {
    const [box] = bank.boxes;
    askedNumbers.length = 0;
    await Promise.all(
      Array.from({ length: 20 }, () =>
        box.send(account.open, { input: { tenantId: "tenant-1", number: newNumber() }, origin }),
      ),
    );
    expect(askedNumbers).toEqual([20]);
  });
});

describe("the checks before a decision", () => {
  const message = (sent: Promise<unknown>) => sent.catch(({ code, message }) => ({ code, message }));

  test("a record of another tenant is not_found, in the same words as one that is not there", async () => {
    const id = await bank.open(0, "tenant-2");
    const stranger = { ...origin, scope: "tenant-1" };
    const send = (target: string) =>
      message(bank.boxes[0].send(account.deposit, { id: target, input: { amount: 1 }, origin: stranger }));
    const foreign = await send(id);
    expect(foreign).toMatchObject({ code: "not_found" });
    expect(foreign).toEqual(await send(bank.world.newId()));
    expect(await bank.find(id)).toMatchObject({ balance: 0, version: 1 });
    const own = { ...origin, scope: "tenant-2" };
    await bank.boxes[0].send(account.deposit, { id, input: { amount: 1 }, origin: own });
  });

  test.each([
    ["empty", ""],
    ["a quote", "'"],
    ["a backslash", "\\"],
    ["a null byte", "\0"],
    ["not ASCII", "é"],
    ["longer than the column", "x".repeat(5000)],
  ])("an id that none can have (%s) is not_found, and its neighbour is accepted", async (_, wrong) => {
    const id = await bank.open();
    const endings = await Promise.all(
      [wrong, id].map((target) =>
        ending(bank.boxes[0].send(account.deposit, { id: target, input: { amount: 1 }, origin })),
      ),
    );
    expect(endings).toEqual(["not_found", "accepted"]);
  });

  test("come in the order record, state, version", async () => {
    const id = await bank.open(0, "tenant-2");
    await bank.boxes[0].send(account.close, { id, input: {}, origin });
    const stale = { id, input: { amount: 1 }, ifMatch: [1] };
    const stranger = { ...origin, scope: "tenant-1" };
    expect(await ending(bank.boxes[0].send(account.deposit, { ...stale, origin: stranger }))).toBe(
      "not_found",
    );
    const refusal = await bank.boxes[0].send(account.deposit, { ...stale, origin }).catch((error) => error);
    expect(refusal.code).toBe("invalid_transition");
    expect(refusal.extra).toEqual({
      from: "CLOSED",
      command: "deposit",
      allowed: [],
    });
    const retitle = { id, input: "new", ifMatch: [1], origin };
    expect(await ending(bank.boxes[0].send(account.retitle, retitle))).toBe("precondition_failed");
  });

  test("of two commands that name the same version one is accepted", async () => {
    const id = await bank.open();
    const endings = await Promise.all(
      bank.boxes.flatMap((box) =>
        [1, 2, 3].map((amount) =>
          ending(box.send(account.deposit, { id, input: { amount }, origin, ifMatch: [1] })),
        ),
      ),
    );
    expect(endings.sort()).toEqual(["accepted", ...Array(5).fill("precondition_failed")]);
    expect((await bank.find(id)).version).toBe(2);
  });
});

describe("what a command leaves", () => {
  test("a quiet one leaves version, updatedAt and audit as they are", async () => {
    const id = await bank.open();
    const before = await bank.traces(id);
    await bank.boxes[0].send(account.annotate, { id, input: "a note", origin });
    const after = await bank.traces(id);
    expect(after.state).toEqual({ ...before.state, note: "a note" });
    expect(after.audit).toEqual(before.audit);
  });

  test("its audit entry tells who, what, from where, to where and why", async () => {
    const id = await bank.open(7);
    const caller = { id: "user-1", kind: "user", tenantId: "tenant-1", roles: [] } as const;
    await bank.boxes[0].send(account.close, { id, input: {}, origin: { ...origin, caller } });
    const entries = await bank.rows("SELECT * FROM audit_entries WHERE recordId = ? ORDER BY version", [id]);
    expect(entries[0]).toMatchObject({ command: "open", from: null, to: "OPEN", actorKind: "system" });
    expect(entries[1]).toMatchObject({ command: "close", from: "OPEN", to: "CLOSED", actorKind: "user" });
    expect(String(entries[1].actorId)).toBe("user-1");
    expect(String(entries[1].correlationId)).toBe("correlation-1");
  });

  test("its event names the record, the version, the tenant and what it follows from", async () => {
    const id = await bank.open(0, "tenant-9");
    await bank.boxes[0].send(account.deposit, {
      id,
      input: { amount: 5 },
      origin: { ...origin, causationId: "event-1" },
    });
    const { events } = await bank.traces(id);
    expect(events).toEqual([
      {
        eventId: expect.any(String),
        type: `${bank.world.platform}.billing.payment-received.v1`,
        version: 1,
        occurredAt: (await bank.find(id)).updatedAt.toISOString(),
        source: "billing",
        correlationId: "correlation-1",
        causationId: "event-1",
        tenantId: "tenant-9",
        subject: id,
        sequence: 2,
        data: { invoiceId: null, orderId: id, amount: 5, currency: "EUR" },
      },
    ]);
  });

  test("text of every kind comes back as it was given", async () => {
    const id = await bank.open();
    const note = `' " \\ \0 \n \u2028 ☃ 🛰 ? ; -- /* ${"x".repeat(10_000)}`;
    await bank.boxes[0].send(account.annotate, { id, input: note, origin });
    expect((await bank.find(id)).note).toBe(note);
  });

  test("jobs ordered again, in one batch or later, are one row with a new revision", async () => {
    const id = await bank.open();
    const remind = (text: string) =>
      bank.boxes[0].send(account.deposit, { id, input: { amount: 1, remind: text }, origin });
    const jobs = () =>
      bank.rows("SELECT payload, revision, attempt, error FROM jobs WHERE kind = ? AND `key` = ?", [
        "account.remind",
        id,
      ]);
    await Promise.all([remind("first"), remind("second")]);
    expect(await jobs()).toEqual([{ payload: { text: "second" }, revision: 1, attempt: 0, error: null }]);
    await bank.world.pool.query("UPDATE jobs SET attempt = 3, error = 'late' WHERE `key` = ?", [id]);
    await Promise.all([remind("third"), remind("fourth")]);
    expect(await jobs()).toEqual([{ payload: { text: "fourth" }, revision: 2, attempt: 0, error: null }]);
  });
});

describe("close()", () => {
  test("waits for what was sent", async () => {
    const id = await bank.open();
    const box = openMailbox(bank.world);
    const sent = Array.from({ length: 400 }, () =>
      ending(box.send(account.deposit, { id, input: { amount: 1 }, origin })),
    );
    await box.close();
    expect(await bank.find(id)).toMatchObject({ balance: 400, version: 401 });
    expect(new Set(await Promise.all(sent))).toEqual(new Set(["accepted"]));
  });
});
