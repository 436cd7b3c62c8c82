import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { account, ending, origin } from "./account.ts";
import { type Bank, type HammerReport, hammer, openBank } from "./bank.ts";

let bank: Bank;
beforeAll(async () => {
  bank = await openBank();
});
afterAll(() => bank[Symbol.asyncDispose]());

const program = new URL("./hammer.ts", import.meta.url).pathname;

/** A process of its own that starts its work when it is told to. */
async function spawnHammer(ids: string[], count: number) {
  const child = Bun.spawn([process.execPath, program, JSON.stringify({ config: bank.config, ids, count })], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  await lines.read();
  return async (): Promise<HammerReport> => {
    child.stdin.write("go\n");
    await child.stdin.end();
    const { value } = await lines.read();
    await child.exited;
    return JSON.parse(value ?? "null");
  };
}

/** No move was lost, done twice or done by half. */
async function expectMoves(ids: string[], total: number, accepted: number): Promise<void> {
  const states = await Promise.all(ids.map(bank.find));
  expect(states.reduce((sum, { balance }) => sum + balance, 0)).toBe(total);
  // Each move raises the version of both of its accounts, and is in the audit of both.
  expect(states.reduce((sum, { version }) => sum + version - 1, 0)).toBe(2 * accepted);
  const [{ audited }] = await bank.rows(
    "SELECT COUNT(*) AS audited FROM audit_entries WHERE command = 'transfer' AND recordId IN (?)",
    [ids],
  );
  expect(audited).toBe(2 * accepted);
}

describe("two mailboxes on the same records", () => {
  test("lose no update: the version counts the accepted commands", async () => {
    const id = await bank.open();
    const sent = Array.from({ length: 600 }, (_, i) =>
      ending(bank.boxes[i % 2 ? 1 : 0].send(account.deposit, { id, input: { amount: 1 }, origin })),
    );
    expect(new Set(await Promise.all(sent))).toEqual(new Set(["accepted"]));
    const { state, audit, events } = await bank.traces(id);
    expect(state).toMatchObject({ balance: 600, version: 601 });
    expect([audit.length, events.length]).toEqual([601, 600]);
    expect(events.map(({ sequence }) => sequence)).toEqual(audit.slice(1).map(({ version }) => version));
  });

  test("that lock two records in opposite order show no deadlock to their callers", async () => {
    const ids = [await bank.open(500), await bank.open(500)];
    const reports = await Promise.all(
      bank.worlds.map((world, i) => hammer(world, { ids: i ? ids : ids.toReversed(), count: 400 })),
    );
    expect(reports.map(({ endings }) => endings)).toEqual([["accepted"], ["accepted"]]);
    await expectMoves(ids, 1000, 800);
  });

  test("see each other's refusals: an account is never overdrawn", async () => {
    const id = await bank.open(100);
    const endings = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        ending(bank.boxes[i % 2 ? 1 : 0].send(account.withdraw, { id, input: { amount: 1 }, origin })),
      ),
    );
    expect(endings.filter((end) => end === "accepted")).toHaveLength(100);
    expect(await bank.find(id)).toMatchObject({ balance: 0, version: 101 });
  });
});

describe("two processes on the same records", () => {
  test("lose no update and show no deadlock, with each record in each order", async () => {
    const ids = await Promise.all(Array.from({ length: 7 }, () => bank.open(1000)));
    const start = await spawnHammer(ids, 1500);
    const reports = await Promise.all([start(), hammer(bank.world, { ids, count: 1500 })]);
    expect(reports).toEqual([
      { accepted: 1500, endings: ["accepted"] },
      { accepted: 1500, endings: ["accepted"] },
    ]);
    await expectMoves(ids, 7000, 3000);
  });
});
