import { describe, expect, test } from "bun:test";
import { driveJob } from "../../actors/provisioning/driving.ts";
import type { requestStatuses, Step, StepState } from "../../schema/provisioning/request.ts";
import { applied, arrived, type Hand, inputs, topicsOf } from "./requests.ts";

describe("a step that waits until an earlier attempt is undone", () => {
  const long = "2001-01-01T00:00:00.000Z";

  test("begins when nothing is left of it", () => {
    const { state } = applied(arrived("driver", "ROLLBACK_FAILED"), "retry", {}, "driver");
    const [allocate, ...others] = state.steps;
    const early = { ...state, steps: [{ ...allocate, startedAt: long }, ...others] as StepState[] };
    const noted = applied(early, "settle", { error: null }, "driver").state;
    expect(noted.steps[0]?.startedAt).toBe(long);
    const cleaned = applied(early, "settle", { leftovers: [], error: null }, "driver").state;
    expect(cleaned.steps[0]?.startedAt).not.toBe(long);
    expect(cleaned.steps.map(({ status }) => status)).toEqual(early.steps.map(({ status }) => status));
  });
});

describe("the four steps", () => {
  const walk: [Step, Step | null][] = [
    ["ALLOCATE", "CONFIGURE"],
    ["CONFIGURE", "ACTIVATE"],
    ["ACTIVATE", "VERIFY"],
    ["VERIFY", null],
  ];

  test.each(["driver", "api"] as const)(
    "follow each other; the last one activates the service (%s)",
    (hand) => {
      let state = arrived(hand, "PROVISIONING");
      for (const [step, following] of walk) {
        expect(state.currentStep).toBe(step);
        const next = applied(state, "advance", { output: { step } }, hand);
        expect(next.decision.step).toBe(step);
        expect(next.state.currentStep).toBe(following);
        expect(next.state.steps.find((each) => each.step === step)).toMatchObject({
          status: "COMPLETED",
          output: { step },
        });
        expect(topicsOf(next.decision)).toEqual(
          following ? ["step-completed"] : ["step-completed", "service-activated", "completed"],
        );
        state = next.state;
      }
      expect(state.status).toBe("ACTIVE");
    },
  );

  test.each([
    ["another step", { step: "CONFIGURE", attempt: 1 }],
    ["another attempt", { step: "ALLOCATE", attempt: 2 }],
  ])("refuse a worker's result for %s", (_, run) => {
    const state = arrived("driver", "PROVISIONING");
    for (const command of ["advance", "fail"]) {
      const input = { ...(inputs[command] as object), run };
      expect(() => applied(state, command, input, "driver")).toThrow(
        expect.objectContaining({ code: "invalid_transition" }),
      );
    }
  });

  test("keep the credentials that each brings, the latest last", () => {
    let state = arrived("api", "PROVISIONING");
    for (const sealedCredentials of ["one", undefined, "two", undefined]) {
      state = applied(state, "advance", { sealedCredentials }).state;
    }
    expect(state.sealedCredentials).toEqual(["one", "two"]);
  });

  test("gather the access details", () => {
    let state = arrived("api", "PROVISIONING");
    const outputs = [
      { ipAddress: "10.0.0.1", endpoints: { web: "http://one" } },
      { hostname: "one", taskId: 7 },
      { endpoints: { admin: "http://two" }, notes: 5 },
      undefined,
    ];
    for (const output of outputs) state = applied(state, "advance", { output }).state;
    expect(state.access).toEqual({
      ipAddress: "10.0.0.1",
      hostname: "one",
      endpoints: { web: "http://one", admin: "http://two" },
      notes: null,
    });
  });
});

describe("a failure", () => {
  const failedAt = (hand: Hand, advances: number) => {
    let state = arrived(hand, "PROVISIONING");
    for (let i = 0; i < advances; i++) state = applied(state, "advance", {}, hand).state;
    return applied(state, "fail", inputs["fail"], hand);
  };
  const statuses = (steps: { status: string }[]) => steps.map(({ status }) => status);

  test("fails the running step, and the request tells why", () => {
    const { state, decision } = failedAt("api", 2);
    expect(statuses(state.steps)).toEqual(["COMPLETED", "COMPLETED", "FAILED", "PENDING"]);
    expect(state.error).toEqual({ code: "NO_CAPACITY", message: "No host has room." });
    expect(state.steps[2]?.error).toEqual(state.error);
    expect(decision).toMatchObject({ step: "ACTIVATE", detail: { error: state.error } });
  });

  test("rolled back leaves the failed step FAILED and the others that had begun ROLLED_BACK", () => {
    const { state } = applied(failedAt("driver", 2).state, "rolled-back", {}, "driver");
    expect(statuses(state.steps)).toEqual(["ROLLED_BACK", "ROLLED_BACK", "FAILED", "PENDING"]);
    expect(state).toMatchObject({ leftovers: [], error: { code: "NO_CAPACITY" } });
  });

  test("rolled back in part leaves what could not be undone for the next attempt", () => {
    const input = { ...(inputs["rollback-failed"] as object), undone: ["ACTIVATE"] };
    const { state } = applied(failedAt("driver", 2).state, "rollback-failed", input, "driver");
    expect(statuses(state.steps)).toEqual(["COMPLETED", "COMPLETED", "FAILED", "PENDING"]);
    expect(state.leftovers).toEqual(["ALLOCATE", "CONFIGURE"]);
    const retried = applied(state, "retry", {}, "driver").state;
    expect(retried.leftovers).toEqual(["ALLOCATE", "CONFIGURE"]);
  });

  test("rolled back in part a second time forgets nothing that the first time left", () => {
    const first = applied(
      failedAt("driver", 2).state,
      "rollback-failed",
      inputs["rollback-failed"],
      "driver",
    );
    const retried = applied(first.state, "retry", {}, "driver").state;
    const again = applied(retried, "fail", inputs["fail"], "driver").state;
    const input = { ...(inputs["rollback-failed"] as object), undone: ["CONFIGURE"] };
    const second = applied(again, "rollback-failed", input, "driver").state;
    expect(second.leftovers.toSorted()).toEqual(["ACTIVATE", "ALLOCATE"]);
    // A step that this attempt has not begun is not shown as rolled back.
    expect(statuses(second.steps)).toEqual(["FAILED", "PENDING", "PENDING", "PENDING"]);
  });

  test.each(["driver", "api", "manual"] as const)(
    "can be retried three times, all steps anew (%s)",
    (hand) => {
      let state = arrived(hand, "FAILED");
      for (const attempt of [2, 3, 4]) {
        state = applied(state, "retry", {}, hand).state;
        expect(state).toMatchObject({ retryCount: attempt - 1, error: null });
        expect(state.steps.map((step) => step.attempt)).toEqual(Array(4).fill(attempt));
        state = applied(state, "fail", inputs["fail"], hand).state;
        if (hand === "driver") state = applied(state, "rolled-back", {}, hand).state;
      }
      expect(() => applied(state, "retry", {}, hand)).toThrow(
        expect.objectContaining({ code: "retry_limit" }),
      );
    },
  );
});

describe("the driver's job", () => {
  const jobsOf = (hand: Hand, status: (typeof requestStatuses)[number], command: string) =>
    applied(arrived(hand, status), command, inputs[command], hand).decision.jobs ?? [];

  test.each([
    ["PENDING", "start"],
    ["PROVISIONING", "advance"],
    ["PROVISIONING", "fail"],
    ["FAILED", "retry"],
    ["ROLLBACK_FAILED", "retry"],
    ["ACTIVE", "suspend"],
    ["SUSPENDED", "reactivate"],
    ["ACTIVE", "delete"],
  ] as const)("is ordered when a driven request that is %s gets %s", (status, command) => {
    expect(jobsOf("driver", status, command)).toEqual([{ kind: driveJob, key: "request-1" }]);
  });

  test("is ordered when the API completes the last step, so that a driver at work is stopped", () => {
    let state = arrived("driver", "PROVISIONING");
    for (let i = 0; i < 3; i++) state = applied(state, "advance", {}, "driver").state;
    expect(applied(state, "advance", {}, "driver").decision.jobs).toHaveLength(1);
  });
});

describe("a service that is deleted", () => {
  test("twice changes nothing the second time", () => {
    const { decision } = applied(arrived("driver", "DEPROVISIONING"), "delete", {}, "driver");
    expect(decision).toEqual({});
  });

  test("keeps no credentials", () => {
    let state = applied(arrived("manual", "AWAITING_MANUAL"), "manual-complete", {
      ipAddress: "10.0.0.1",
      sealedCredentials: "sealed",
    }).state;
    expect(state.sealedCredentials).toEqual(["sealed"]);
    state = applied(state, "delete").state;
    expect(state.sealedCredentials).toBeNull();
  });

  test("while a step runs has no step that still runs", () => {
    for (const hand of ["driver", "api"] as const) {
      const { state } = applied(arrived(hand, "PROVISIONING"), "delete", {}, hand);
      expect(state.steps.filter(({ status }) => status === "RUNNING")).toEqual([]);
    }
  });
});
