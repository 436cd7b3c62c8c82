import { describe, expect, test } from "bun:test";
import * as v from "valibot";
import { isDriven } from "../../actors/provisioning/driving.ts";
import { ServiceError } from "../../schema/errors.ts";
import { type RequestState, type Step, steps } from "../../schema/provisioning/request.ts";
import { topics } from "../../streams/topics.ts";
import { always, secret } from "./request-histories.ts";
import { allowedIn, applied, commands, type Hand, inputs, topicsOf, transitions } from "./requests.ts";

/** How a command is refused; undefined where it is accepted. */
function refusalOf(state: RequestState, name: string, hand: Hand): object | undefined {
  try {
    applied(state, name, inputs[name], hand);
    return undefined;
  } catch (refusal) {
    if (!(refusal instanceof ServiceError)) throw refusal;
    const { code, extra } = refusal;
    const { allowed } = extra as { allowed?: string[] };
    return { code, ...extra, ...(allowed ? { allowed: allowed.toSorted() } : {}) };
  }
}

const stepsWith = ({ steps }: RequestState, status: string): Step[] =>
  steps.filter((each) => each.status === status).map(({ step }) => step);

describe("any sequence of commands keeps the invariants:", () => {
  test("they reach every status of the table", () => {
    const reached = new Set<string>();
    always(({ after }) => void reached.add(after.status));
    expect([...reached].sort()).toEqual([...new Set(transitions.map(({ to }) => to))].sort());
  });

  test("there are four steps, in order, each with the attempt that the retries make", () => {
    always(({ after }) => {
      expect(after.steps.map(({ step }) => step)).toEqual([...steps]);
      expect(after.steps.map(({ attempt }) => attempt)).toEqual(Array(4).fill(after.retryCount + 1));
      expect(after.retryCount).toBeLessThanOrEqual(after.maxRetries);
    });
  });

  test("the running step is the current one, and there is one while PROVISIONING alone", () => {
    always(({ after }) => {
      expect(after.currentStep !== null).toBe(after.status === "PROVISIONING");
      expect(stepsWith(after, "RUNNING")).toEqual(after.currentStep ? [after.currentStep] : []);
    });
  });

  test("the steps before the current one are completed, those after it have not begun", () => {
    always(({ after }) => {
      if (!after.currentStep) return;
      const at = steps.indexOf(after.currentStep);
      expect(stepsWith(after, "COMPLETED")).toEqual(steps.slice(0, at));
      expect(stepsWith(after, "PENDING")).toEqual(steps.slice(at + 1));
    });
  });

  test("a service that is ACTIVE or SUSPENDED has completed all steps", () => {
    always(({ after }) => {
      if (after.status === "ACTIVE" || after.status === "SUSPENDED") {
        expect(stepsWith(after, "COMPLETED")).toEqual([...steps]);
      }
    });
  });

  test("what failed tells why", () => {
    always(({ after }) => {
      if (["FAILED", "ROLLING_BACK", "ROLLBACK_FAILED"].includes(after.status)) {
        expect(after.error).not.toBeNull();
      }
    });
  });

  test("something is left over only after a rollback that failed", () => {
    always(({ after, past }) => {
      if (after.leftovers.length === 0) return;
      expect(past.lastIndexOf("rollback-failed")).toBeGreaterThan(past.lastIndexOf("rolled-back"));
    });
  });

  test("what is left over is forgotten only when it was undone or destroyed", () => {
    always(({ name, before, after }) => {
      if (["settle", "rolled-back", "rollback-failed", "deprovisioned"].includes(name)) return;
      if (after.status === "DEPROVISIONED") return;
      expect(after.leftovers).toEqual(before.leftovers);
    });
  });

  test("DEPROVISIONED accepts no command, keeps no credentials and leaves nothing over", () => {
    for (const { accepts } of commands.values()) expect(accepts).not.toContain("DEPROVISIONED");
    always(({ after }) => {
      if (after.status === "DEPROVISIONED") {
        expect(after).toMatchObject({ sealedCredentials: null, leftovers: [], currentStep: null });
      }
    });
  });

  test("each accepted command goes where the table says, with exactly its events", () => {
    always(({ hand, name, before, after, decision }) => {
      if (commands.get(name)?.quiet) {
        expect([after.status, ...topicsOf(decision)]).toEqual([before.status]);
        return;
      }
      const rows = transitions.filter(
        ({ from, command, to, hands }) =>
          from === before.status && command === name && to === after.status && hands.includes(hand),
      );
      expect(rows.map(({ events }) => events)).toEqual([topicsOf(decision)]);
    });
  });

  test("each accepted command is a version; one that changes nothing, or keeps the books only, is none", () => {
    always(({ name, before, after, decision }) => {
      const counts = decision.set !== undefined && !commands.get(name)?.quiet;
      expect(after.version).toBe(before.version + Number(counts));
    });
  });

  test("what the table lists is accepted, but for a retry beyond the limit", () => {
    always(({ hand, after }) => {
      for (const { from, command } of transitions) {
        if (from !== after.status) continue;
        const used = command === "retry" && after.retryCount === after.maxRetries;
        expect(refusalOf(after, command, hand)).toEqual(used ? { code: "retry_limit" } : undefined);
      }
    }, 50);
  });

  test("every other command is refused, with where the request is and what it takes there", () => {
    always(({ hand, after: { status: from }, after }) => {
      for (const [command, { quiet, accepts }] of commands) {
        const listed = transitions.some((row) => row.from === from && row.command === command);
        if (listed || (quiet && accepts.includes(from))) continue;
        const refusal = { code: "invalid_transition", from, command, allowed: allowedIn(from) };
        expect(refusalOf(after, command, hand)).toEqual(refusal);
      }
    }, 50);
  });

  test("each event fits the schema of its topic and tells the new status", () => {
    always(({ after, decision: { emit = [] } }) => {
      for (const emission of emit) {
        if (!("topic" in emission)) throw new Error("A request speaks to topics alone.");
        v.assert(topics[emission.topic].data, emission.data);
        expect(emission.data).toMatchObject({ requestId: after.id, status: after.status });
      }
    });
  });

  test("no event, job or audit detail holds credentials", () => {
    always(({ decision: { emit, jobs, detail, step } }) => {
      expect(JSON.stringify([emit, jobs, detail, step])).not.toContain(secret);
    });
  });

  test("a job is ordered for a driven request alone", () => {
    always(({ after, decision: { jobs = [] } }) => {
      if (jobs.length > 0) expect(isDriven(after)).toBe(true);
    });
  });
});
