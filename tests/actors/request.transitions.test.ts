import { describe, expect, test } from "bun:test";
import { requestStatuses } from "../../schema/provisioning/request.ts";
import {
  allowedIn,
  applied,
  arrived,
  commands,
  created,
  hands,
  inputs,
  topicsOf,
  transitions,
} from "./requests.ts";

describe("the transition table", () => {
  const cases = transitions
    .filter(({ command, to }) => command !== "advance" || to !== "ACTIVE")
    .flatMap((row) => row.hands.map((hand) => ({ ...row, hand })));

  test.each(cases)(
    "$hand: $command takes $from to $to, with its events",
    ({ hand, from, command, to, events }) => {
      const before = arrived(hand, from);
      expect(before.status).toBe(from);
      const { state, decision } = applied(before, command, inputs[command], hand);
      expect(state.status).toBe(to);
      expect(topicsOf(decision)).toEqual(events);
    },
  );

  test("has every command and status that is accepted, and no other", () => {
    for (const [name, { accepts, quiet }] of commands) {
      if (quiet) continue;
      const listed = transitions.filter(({ command }) => command === name).map(({ from }) => from);
      const accepted = requestStatuses.filter((status) => accepts.includes(status));
      expect([name, ...accepted.toSorted()]).toEqual([name, ...new Set(listed.toSorted())]);
    }
    expect(transitions.filter(({ command }) => !commands.has(command))).toEqual([]);
  });

  test("names to clients only the commands that they may send", () => {
    for (const status of requestStatuses) {
      const allowed = commands.get("start")?.allowedIn(status) ?? [];
      expect([status, ...allowed.toSorted()]).toEqual([status, ...allowedIn(status)]);
    }
  });

  test.each(hands)("begins at PENDING with `requested` (%s)", (hand) => {
    const { state, decision } = created(hand);
    expect(state.status).toBe("PENDING");
    expect(topicsOf(decision)).toEqual(["requested"]);
  });
});
