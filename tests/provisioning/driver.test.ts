import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Driver, drivers } from "../../src/provisioning/drivers/driver.ts";
import { DriverError } from "../../src/provisioning/drivers/driver-error.ts";
import { type House, openHouse } from "../house.ts";
import { expectProblem } from "../http/answers.ts";
import { eventually } from "../streams/bus.ts";
import { type Operator, operatorOf } from "./operator.ts";
import { activated, begun, storyOf } from "./stages.ts";

let house: House;
let operator: Operator;
beforeAll(async () => {
  house = await openHouse();
  const [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
  operator = operatorOf({ house, customer, admin });
});
afterAll(() => house.close());

/** Another driver while it is in use. */
function changed(change: (real: Driver) => Partial<Driver>) {
  const real = drivers.SIMULATED as Driver;
  drivers.SIMULATED = { ...real, ...change(real) };
  return {
    [Symbol.dispose]() {
      drivers.SIMULATED = real;
    },
  };
}

describe("a running service", () => {
  const settled = (id: string) =>
    eventually(async () => {
      const [row] = await house.rows(
        "SELECT status = settledStatus AS done FROM provisioning_requests WHERE id = ?",
        [id],
      );
      return row.done === 1;
    });

  test("is suspended, reactivated and removed", async () => {
    const id = await operator.run({});
    const active = await operator.until(id, "ACTIVE");
    expect(active.access).toMatchObject({ ipAddress: expect.stringMatching(/^192\.0\.2\./) });
    for (const [command, status] of [
      ["suspend", "SUSPENDED"],
      ["reactivate", "ACTIVE"],
    ] as const) {
      expect((await operator.send(id, command)).data.status).toBe(status);
      await settled(id);
    }
    const removing = await operator.remove(id);
    expect([removing.status, removing.data.status]).toEqual([202, "DEPROVISIONING"]);
    const gone = await operator.until(id, "DEPROVISIONED");
    expect(gone.version).toBe(removing.data.version + 1);
    const story = [...begun, ...activated, "suspended", "reactivated", "deprovisioned"];
    expect(await storyOf(house, id)).toEqual(story);
    expect((await operator.commandsOf(id)).slice(-4)).toEqual([
      "suspend",
      "reactivate",
      "delete",
      "deprovisioned",
    ]);
  });

  test("ends as it was told last", async () => {
    const id = await operator.run({});
    await operator.until(id, "ACTIVE");
    for (const command of ["suspend", "reactivate", "suspend", "reactivate", "suspend"])
      await operator.send(id, command);
    await settled(id);
    expect((await operator.get(id)).status).toBe("SUSPENDED");
  });

  test("is removed once, however often that is asked", async () => {
    const id = await operator.run({});
    await operator.until(id, "ACTIVE");
    await operator.steer(id, { stepMs: 60_000 });
    const first = await operator.remove(id);
    const others = await Promise.all(Array.from({ length: 5 }, () => operator.remove(id)));
    for (const answer of others) expect([answer.status, answer.data]).toEqual([202, first.data]);
    const refused = await operator.send(id, "suspend");
    expectProblem(refused, "invalid_transition", {
      from: "DEPROVISIONING",
      command: "suspend",
      allowed: ["delete"],
    });
  });

  test("is resumed when it is reactivated while its driver suspends it", async () => {
    const id = await operator.run({});
    await operator.until(id, "ACTIVE");
    const calls: string[] = [];
    const begun = Promise.withResolvers<void>();
    using _ = changed((real) => ({
      suspend(_, signal) {
        calls.push("suspend");
        begun.resolve();
        // The infrastructure may have done it by now; only its answer is missing.
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
      resume(service, signal) {
        calls.push("resume");
        return real.resume(service, signal);
      },
    }));
    await operator.send(id, "suspend");
    await begun.promise;
    await operator.send(id, "reactivate");
    await settled(id);
    expect(calls).toEqual(["suspend", "resume"]);
  });

  const fault = { code: "POWER_LOST", message: "No power." };
  const fails = () => Promise.reject(new DriverError(fault.code, fault.message));
  /** The request as soon as it shows the fault. */
  async function showsFault(id: string): Promise<any> {
    let shown: any;
    await eventually(async () => {
      shown = await operator.get(id);
      return shown.error?.code === fault.code;
    });
    return shown;
  }

  test("shows no more that it could not be suspended once it is reactivated", async () => {
    const id = await operator.run({});
    await operator.until(id, "ACTIVE");
    using _ = changed(() => ({ suspend: fails }));
    await operator.send(id, "suspend");
    await showsFault(id);
    await operator.send(id, "reactivate");
    await settled(id);
    expect(await operator.get(id)).toMatchObject({ status: "ACTIVE", error: null });
  });

  for (const [command, method] of [
    ["suspend", "suspend"],
    ["reactivate", "resume"],
    ["delete", "destroy"],
  ] as const)
    test(`shows why its driver could not ${command}, and is tried again`, async () => {
      const id = await operator.run({});
      await operator.until(id, "ACTIVE");
      if (command === "reactivate") {
        await operator.send(id, "suspend");
        await settled(id);
      }
      const { version } = await operator.get(id);
      let failures = 0;
      using _ = changed((real) => ({
        [method]: (...given: Parameters<Driver["suspend"]>) =>
          failures++ === 0 ? fails() : real[method](...given),
      }));
      const answer = command === "delete" ? await operator.remove(id) : await operator.send(id, command);
      const { status } = answer.data;
      expect(await showsFault(id)).toMatchObject({ status, error: fault, version: version + 1 });
      await eventually(async () => (await operator.get(id)).error === null);
      if (command === "delete") await operator.until(id, "DEPROVISIONED");
      else await settled(id);
    });
});
