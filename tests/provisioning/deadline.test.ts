import { describe, expect, test } from "bun:test";
import { withDeadline } from "../../src/provisioning/drivers/deadline.ts";
import { DriverError } from "../../src/provisioning/drivers/driver-error.ts";

const never = () => new Promise<never>(() => {});
const open = () => new AbortController().signal;
const codeOf = (call: Promise<unknown>) => call.then(String, (error) => error.code ?? error.message);

describe("a driver's call", () => {
  test("answers what the driver answers", async () => {
    expect(await withDeadline(1000, open(), async () => "done")).toBe("done");
  });

  test("fails as the driver fails", async () => {
    const call = withDeadline(1000, open(), () =>
      Promise.reject(new DriverError("NO_CAPACITY", "It is full.")),
    );
    expect(await codeOf(call)).toBe("NO_CAPACITY");
  });

  test("ends in time, though the driver minds no signal", async () => {
    expect(await codeOf(withDeadline(5, open(), never))).toBe("STEP_TIMEOUT");
    expect(await codeOf(withDeadline(0, open(), never))).toBe("STEP_TIMEOUT");
  });

  test("tells the driver that its time is over", async () => {
    let told: AbortSignal | undefined;
    const call = withDeadline(5, open(), (signal) => {
      told = signal;
      return never();
    });
    expect(await codeOf(call)).toBe("STEP_TIMEOUT");
    expect(told?.aborted).toBe(true);
  });

  test("ends with its job, which is no fault of the infrastructure", async () => {
    const job = new AbortController();
    const call = withDeadline(60_000, job.signal, never);
    job.abort(new Error("It was ordered again."));
    expect(await codeOf(call)).toBe("It was ordered again.");
    expect(await codeOf(withDeadline(60_000, job.signal, never))).toBe("It was ordered again.");
  });
});
