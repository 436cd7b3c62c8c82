import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person, vm } from "../house.ts";
import { expectProblem } from "../http/answers.ts";
import { eventually } from "../streams/bus.ts";
import { type Operator, operatorOf } from "./operator.ts";
import { activated, begun, completed, requests, stepStatuses, steps, storyOf } from "./stages.ts";

let house: House;
let customer: Person;
let operator: Operator;
beforeAll(async () => {
  house = await openHouse();
  const [admin, signedUp] = await Promise.all([house.admin(), house.signUp()]);
  customer = signedUp;
  operator = operatorOf({ house, customer, admin });
});
afterAll(() => house.close());

const statuses = (...groups: [count: number, status: string][]) =>
  groups.flatMap(([count, status]) => Array<string>(count).fill(status));

describe("a step that fails", () => {
  for (const [at, step] of steps.entries())
    test(`at ${step} is rolled back; a retry succeeds`, async () => {
      const id = await operator.run({ failAt: step, failCode: "NO_CAPACITY" });
      const failed = await operator.until(id, "FAILED");
      expect(stepStatuses(failed)).toEqual(statuses([at, "ROLLED_BACK"], [1, "FAILED"], [3 - at, "PENDING"]));
      const error = { code: "NO_CAPACITY", message: expect.any(String) };
      expect([failed.error, failed.steps[at].error, failed.currentStep]).toEqual([error, error, null]);
      const story = [...begun, ...completed(at), "rolled-back", "failed"];
      expect(await storyOf(house, id)).toEqual(story);
      const trail = ["create", "start", ...Array(at).fill("advance"), "fail", "rolled-back"];
      expect(await operator.commandsOf(id)).toEqual(trail);

      const retried = await operator.send(id, "retry");
      expect(retried.data).toMatchObject({ status: "PROVISIONING", retryCount: 1, error: null });
      const active = await operator.until(id, "ACTIVE");
      expect(stepStatuses(active)).toEqual(statuses([4, "COMPLETED"]));
      expect(active.steps.map(({ attempt }: any) => attempt)).toEqual([2, 2, 2, 2]);
      expect(await storyOf(house, id)).toEqual([...story, "started", ...activated]);
      expect(await operator.commandsOf(id)).toEqual([...trail, "retry", ...Array(4).fill("advance")]);
    });

  test("each time leaves no retry in the end", async () => {
    const id = await operator.run({ failAt: "CONFIGURE", failTimes: 0 });
    for (const retryCount of [1, 2, 3]) {
      await operator.until(id, "FAILED");
      expect((await operator.send(id, "retry")).data.retryCount).toBe(retryCount);
    }
    await operator.until(id, "FAILED");
    expectProblem(await operator.send(id, "retry"), "retry_limit");
    const attempt = [...completed(1), "rolled-back", "failed"];
    const again = Array.from({ length: 3 }, () => ["started", ...attempt]).flat();
    expect(await storyOf(house, id)).toEqual([...begun, ...attempt, ...again]);
  });

  test("twice needs two retries", async () => {
    const id = await operator.run({ failAt: "ALLOCATE", failTimes: 2 });
    await operator.until(id, "FAILED");
    await operator.send(id, "retry");
    await operator.until(id, "FAILED");
    await operator.send(id, "retry");
    expect((await operator.until(id, "ACTIVE")).retryCount).toBe(2);
  });
});

describe("a rollback that fails", () => {
  const leftoversOf = async (id: string) =>
    (await house.rows("SELECT leftovers FROM provisioning_requests WHERE id = ?", [id]))[0].leftovers;

  test("ends in ROLLBACK_FAILED; a retry undoes what is left, then starts anew", async () => {
    const id = await operator.run({ failAt: "ACTIVATE", undoFails: true });
    const failed = await operator.until(id, "ROLLBACK_FAILED");
    expect(stepStatuses(failed)).toEqual(["COMPLETED", "COMPLETED", "FAILED", "PENDING"]);
    expect(failed.error.code).toBe("SIMULATED_FAILURE");
    const story = [...begun, ...completed(2), "failed"];
    expect(await storyOf(house, id)).toEqual(story);
    expect((await operator.commandsOf(id)).slice(-2)).toEqual(["fail", "rollback-failed"]);
    await operator.steer(id, { stepMs: 5 });
    expect((await operator.send(id, "retry")).data.status).toBe("PROVISIONING");
    await operator.until(id, "ACTIVE");
    expect(await leftoversOf(id)).toEqual([]);
    expect(await storyOf(house, id)).toEqual([...story, "started", ...activated]);
  });

  test("does not forget what is left when the next attempt fails as well", async () => {
    const id = await operator.run({ failAt: "VERIFY", undoFails: true });
    await operator.until(id, "ROLLBACK_FAILED");
    const leftovers = await leftoversOf(id);
    expect([...leftovers].sort()).toEqual([...steps].sort());
    await operator.send(id, "retry");
    await operator.send(id, "fail", { code: "STOP", message: "Stop." });
    await operator.until(id, "ROLLBACK_FAILED");
    expect(await leftoversOf(id)).toEqual(expect.arrayContaining(leftovers));
  });

  test("shows why a retry does not begin, and can be removed", async () => {
    const id = await operator.run({ failAt: "CONFIGURE", undoFails: true });
    await operator.until(id, "ROLLBACK_FAILED");
    await operator.send(id, "retry");
    await eventually(async () => {
      const { status, error } = await operator.get(id);
      return status !== "ROLLING_BACK" && error?.code === "SIMULATED_UNDO_FAILURE";
    });
    expect((await operator.remove(id)).status).toBe(202);
    await operator.until(id, "DEPROVISIONED");
  });
});

describe("a step that never answers", () => {
  /** A cluster of its own, whose steps must end soon. */
  const impatient = async (seconds: number): Promise<string> => {
    const region = `region-${crypto.randomUUID()}`;
    await house.world.pool.query(
      `INSERT INTO clusters (id, version, createdAt, updatedAt, name, type, region, isDefault, provisioningEnabled, metadata)
       VALUES (?, 1, NOW(3), NOW(3), 'Impatient', 'SIMULATED', ?, false, true, ?)`,
      [house.world.newId(), region, JSON.stringify({ stepTimeoutSeconds: seconds })],
    );
    return region;
  };

  test("fails when the cluster's time is up", async () => {
    const id = await operator.run({ hangAt: "CONFIGURE" }, await impatient(0.2));
    const failed = await operator.until(id, "FAILED");
    expect(failed.error.code).toBe("STEP_TIMEOUT");
    expect(stepStatuses(failed)).toEqual(["ROLLED_BACK", "FAILED", "PENDING", "PENDING"]);
    const { startedAt, finishedAt } = failed.steps[1];
    expect(Date.parse(finishedAt) - Date.parse(startedAt)).toBeGreaterThanOrEqual(200);
    expect(await storyOf(house, id)).toEqual([...begun, ...completed(1), "rolled-back", "failed"]);
  });

  test("has its time from its own beginning", async () => {
    let aheadMs = 0;
    await using house = await openHouse({ now: () => new Date(Date.now() + aheadMs) });
    await house.world.pool.query("UPDATE clusters SET metadata = ?", [
      JSON.stringify({ stepTimeoutSeconds: 60 }),
    ]);
    const [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
    const operator = operatorOf({ house, customer, admin });
    const id = await operator.run({ hangAt: "CONFIGURE" });
    await operator.reaches(id, "CONFIGURE");
    aheadMs = 120_000;
    await operator.send(id, "advance");
    await operator.until(id, "ACTIVE");
  });

  for (const step of steps)
    test(`at ${step} is passed by an advance through the API`, async () => {
      const id = await operator.run({ hangAt: step });
      await operator.reaches(id, step);
      expect((await operator.send(id, "advance", { output: { by: "hand" } })).status).toBe(200);
      const active = await operator.until(id, "ACTIVE");
      expect(active.steps.find((each: any) => each.step === step).output).toEqual({ by: "hand" });
      expect(await storyOf(house, id)).toEqual([...begun, ...activated]);
    });

  test("is ended by fail", async () => {
    const id = await operator.run({ hangAt: "ACTIVATE" });
    await operator.reaches(id, "ACTIVATE");
    const answer = await operator.send(id, "fail", { code: "STOP", message: "Stop." });
    expect([answer.data.status, stepStatuses(answer.data)[2]]).toEqual(["ROLLING_BACK", "FAILED"]);
    const failed = await operator.until(id, "FAILED");
    expect(stepStatuses(failed)).toEqual(["ROLLED_BACK", "ROLLED_BACK", "FAILED", "PENDING"]);
    expect(await storyOf(house, id)).toEqual([...begun, ...completed(2), "rolled-back", "failed"]);
  });

  test("is ended by delete", async () => {
    const id = await operator.run({ hangAt: "CONFIGURE" });
    await operator.reaches(id, "CONFIGURE");
    const answer = await operator.remove(id);
    expect([answer.status, answer.data.status, answer.data.currentStep]).toEqual([
      202,
      "DEPROVISIONING",
      null,
    ]);
    await operator.until(id, "DEPROVISIONED");
    expect(await storyOf(house, id)).toEqual([...begun, ...completed(1), "deprovisioned"]);
  });
});

describe("a step that answers twice", () => {
  for (const step of steps)
    test(`at ${step} is completed once`, async () => {
      const id = await operator.run({ repeatAt: step });
      const active = await operator.until(id, "ACTIVE");
      expect([active.version, stepStatuses(active)]).toEqual([6, statuses([4, "COMPLETED"])]);
      expect(await storyOf(house, id)).toEqual([...begun, ...activated]);
      expect(active.steps.map(({ output }: any) => Object.keys(output))).toEqual([
        ["instanceId"],
        ["ipAddress", "hostname"],
        ["running"],
        ["healthy"],
      ]);
    });
});

describe("metadata.simulate that is not valid", () => {
  for (const simulate of ["text", { stepMs: "x" }, { failAt: "LUNCH" }])
    test(`fails the request and no more: ${JSON.stringify(simulate)}`, async () => {
      const { data } = await customer.call("POST", requests, vm(customer.tenantId, { simulate }));
      await operator.send(data.id, "start");
      expect((await operator.until(data.id, "FAILED")).error.code).toBe("INVALID_SIMULATION");
      await operator.remove(data.id);
      await operator.until(data.id, "DEPROVISIONED");
    });
});
