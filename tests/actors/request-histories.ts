import fc from "fast-check";
import type { Decision } from "../../actors/runtime/actor.ts";
import { ServiceError } from "../../schema/errors.ts";
import { type RequestState, steps } from "../../schema/provisioning/request.ts";
import { applied, arrived, commands, created, type Hand, hands } from "./requests.ts";

/* Random histories of a provisioning request: commands one after the other, accepted or not. */

/** In what is sent: no event may hold it. */
export const secret = "sealed-secret";
const step = fc.constantFrom(...steps);
const fault = fc.record({
  code: fc.constantFrom("NO_CAPACITY", "TIMEOUT"),
  message: fc.constant("It failed."),
});
/** Mostly absent: a step that is not under way refuses its result. */
const run = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.record({ step, attempt: fc.integer({ min: 1, max: 4 }) }) },
);
const handover = {
  ipAddress: fc.constantFrom("10.0.0.1", "10.0.0.2"),
  hostname: fc.constant("one"),
  endpoints: fc.dictionary(fc.constantFrom("web", "admin"), fc.constant("http://one")),
};
const optional = { requiredKeys: [] };

/** What may be sent with each command; absent: nothing. */
const inputOf: Record<string, fc.Arbitrary<object>> = {
  advance: fc.record(
    { output: fc.record(handover, optional), sealedCredentials: fc.constant(secret), run },
    optional,
  ),
  approve: fc.record({ adminId: fc.constantFrom("admin-1", "user-1") }),
  reject: fc.record({ adminId: fc.constant("admin-1") }),
  fail: fc.tuple(fault, fc.record({ run }, optional)).map(([fault, rest]) => ({ ...fault, ...rest })),
  "manual-complete": fc.record({ ...handover, sealedCredentials: fc.constant(secret) }, optional),
  "rollback-failed": fc.record({ undone: fc.subarray([...steps]), error: fault }),
  settle: fc.oneof(
    fc.constant({ leftovers: [] }),
    fc.record({ error: fault }),
    fc.record({ settledStatus: fc.constantFrom("ACTIVE", "SUSPENDED"), error: fc.constant(null) }),
  ),
};

interface Move {
  /** Chooses among the commands that the state accepts. */
  choice: number;
  /** `any`: among all, accepted or not. `delete` leads to an end, so it is the rarer choice. */
  among: "most" | "accepted" | "any";
  inputs: Record<string, object>;
}
const names = [...commands.keys()];
const move: fc.Arbitrary<Move> = fc.record({
  choice: fc.nat(1000),
  among: fc.constantFrom(...Array(10).fill("most"), "accepted", "any"),
  inputs: fc.record(inputOf),
});
const histories = fc.record({
  hand: fc.constantFrom(...hands),
  /** Where it begins: a rule may hold it back. */
  from: fc.constantFrom("PENDING" as const, "PENDING" as const, "PENDING_APPROVAL" as const),
  moves: fc.array(move, { minLength: 1, maxLength: 40 }),
});
interface History {
  hand: Hand;
  from: "PENDING" | "PENDING_APPROVAL";
  moves: Move[];
}

export interface Taken {
  hand: Hand;
  name: string;
  before: RequestState;
  after: RequestState;
  decision: Decision<RequestState>;
  /** The commands accepted so far, this one included. */
  past: string[];
}

/** The accepted commands of any history, each with what it did. */
function taken({ hand, from, moves }: History): Taken[] {
  const found: Taken[] = [];
  let state = from === "PENDING" ? created(hand).state : arrived(hand, from);
  for (const { choice, among, inputs } of moves) {
    const accepted = names.filter((name) => commands.get(name)?.accepts.includes(state.status));
    const most = accepted.filter((name) => name !== "delete");
    const choices = { most: most.length > 0 ? most : names, accepted, any: names }[among];
    const name = choices[choice % choices.length];
    if (!name) continue;
    const before = state;
    try {
      const { state: after, decision } = applied(before, name, inputs[name], hand);
      const past = [...(found.at(-1)?.past ?? []), name];
      found.push({ hand, name, before, after, decision, past });
      state = after;
    } catch (refusal) {
      if (!(refusal instanceof ServiceError)) throw refusal;
    }
  }
  return found;
}

/** Checks a promise after every accepted command of any history. */
export const always = (promise: (taken: Taken) => void, numRuns = 300) =>
  fc.assert(
    fc.property(histories, (history) => taken(history).forEach(promise)),
    { numRuns },
  );
