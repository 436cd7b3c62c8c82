import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { RequestState } from "../../schema/provisioning/request.ts";
import { type House, openHouse } from "../house.ts";
import { address, type Entry, type Race, races, secret } from "./request-races.ts";
import { allowedIn, applied, created, transitions } from "./requests.ts";

setDefaultTimeout(60_000);

let house: House;
let found: Race[];
beforeAll(async () => {
  house = await openHouse();
  found = await races(house, 40);
});
afterAll(() => house?.close());

/** The row of the table that an entry of the audit follows. */
const rowOf = ({ hand }: Race, { from, command, to }: Entry) =>
  transitions.find(
    (row) => row.from === from && row.command === command && row.to === to && row.hands.includes(hand),
  );

/** The state that the commands of a trail lead to, by the rules alone. */
const replayed = ({ hand, trail }: Race): RequestState =>
  trail.slice(1).reduce((state, { command, detail }) => {
    const input = command === "fail" ? detail?.error : {};
    return applied(state, command, input, hand).state;
  }, created(hand).state);

const outline = ({ status, currentStep, steps, retryCount, error, version }: RequestState) => ({
  ...{ status, currentStep, retryCount, error, version },
  steps: steps.map(({ step, status, attempt }) => [step, status, attempt]),
});

describe("a request that several send commands at once, beside its worker", () => {
  test("comes into every state, by all of them", () => {
    const trails = found.flatMap(({ trail }) => trail);
    // No rule holds these back, and no simulated undo fails.
    const others = ["REJECTED", "ROLLBACK_FAILED"];
    const listed = transitions.map(({ to }) => to).filter((to) => !others.includes(to));
    expect(new Set(trails.map(({ to }) => to))).toEqual(new Set(["PENDING", ...listed]));
    expect(new Set(trails.map(({ actorKind }) => actorKind))).toEqual(new Set(["user", "service", "system"]));
  });

  test("has an audit without a gap, each version once", () => {
    for (const { trail, state } of found) {
      expect(trail.map(({ version }) => version)).toEqual(trail.map((_, i) => i + 1));
      expect([state.version, state.status]).toEqual([trail.length, trail.at(-1)?.to as typeof state.status]);
    }
  });

  test("goes by the table from entry to entry, and tells the events of each in their order", () => {
    for (const race of found) {
      const [creation, ...moves] = race.trail;
      expect(creation).toMatchObject({ command: "create", from: null, to: "PENDING" });
      expect(moves.map(({ from }) => from)).toEqual(race.trail.slice(0, -1).map(({ to }) => to));
      const told = moves.flatMap((move) =>
        (rowOf(race, move)?.events ?? [`no row for ${move.from} ${move.command} ${move.to}`]).map((name) => ({
          name,
          sequence: move.version,
        })),
      );
      const events = race.events.map(({ name, sequence }) => ({ name, sequence }));
      expect(events).toEqual([{ name: "requested", sequence: 1 }, ...told]);
    }
  });

  test("answers each command with the version that the audit has for it, and no two with the same", () => {
    for (const { endings, trail } of found) {
      const accepted = endings.filter(({ version }) => version).map((e) => `${e.command} ${e.version}`);
      const noted = trail.slice(1).filter(({ actorKind }) => actorKind !== "system");
      expect(accepted.toSorted()).toEqual(noted.map((e) => `${e.command} ${e.version}`).sort());
    }
  });

  test("refuses with a state that it was in, and what it takes there", () => {
    for (const { endings, trail } of found) {
      for (const { command, refusal } of endings) {
        if (!refusal || refusal.code === "retry_limit") continue;
        const { code, from = "", command: refused, allowed = [] } = refusal;
        expect([code, refused, ...allowed.toSorted()]).toEqual([
          "invalid_transition",
          command,
          ...allowedIn(from),
        ]);
        expect(allowed).not.toContain(command);
        expect(trail.map(({ to }) => to)).toContain(from);
      }
    }
  });

  test("ends as its audit does when it is replayed by the rules alone", () => {
    for (const race of found) expect(outline(race.state)).toEqual(outline(replayed(race)));
  });

  test("leaves no credentials in events and audit, where the rest of an output is", async () => {
    const [events, audit] = await Promise.all([
      house.rows("SELECT envelope FROM outbox_events"),
      house.rows("SELECT detail FROM audit_entries"),
    ]);
    const told = JSON.stringify([events, audit]);
    expect(told).toContain(address);
    expect(told).not.toContain(secret);
  });
});
