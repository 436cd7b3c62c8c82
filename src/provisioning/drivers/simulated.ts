import { setTimeout as delay } from "node:timers/promises";
import * as v from "valibot";
import { type Step, steps } from "../../../schema/provisioning/request.ts";
import type { Driver, Service } from "./driver.ts";
import { DriverError } from "./driver-error.ts";

/** As long as a timer can wait: 24 days. */
const foreverMs = 2 ** 31 - 1;

const step = v.optional(v.picklist(steps));

/** What a request's, else its cluster's, `metadata.simulate` may ask for. */
const Simulate = v.object({
  /** How long each step takes. */
  stepMs: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(foreverMs)), 20),
  failAt: step,
  /** How many attempts fail at `failAt`; 0 for all of them. */
  failTimes: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)), 1),
  failCode: v.optional(v.string(), "SIMULATED_FAILURE"),
  /** Never answers at this step. */
  hangAt: step,
  /** Answers twice at this step. */
  repeatAt: step,
  undoFails: v.optional(v.boolean(), false),
});

const read = ({ request, site }: Service) =>
  v.safeParse(Simulate, request.metadata["simulate"] ?? site.metadata["simulate"] ?? {});

/** The settings; where they are not valid no step succeeds, and the rest goes by the defaults. */
function settingsOf(service: Service): v.InferOutput<typeof Simulate> {
  const given = read(service);
  return given.success ? given.output : v.parse(Simulate, {});
}

/** Infrastructure that exists in name only, with its faults on demand; the attempt decides them, so a repeat meets the same. */
export const simulated: Driver = {
  async step(at: Step, service: Service, signal: AbortSignal) {
    if (!read(service).success) {
      throw new DriverError("INVALID_SIMULATION", "metadata.simulate has a member that is not valid.");
    }
    const { stepMs, failAt, failTimes, failCode, hangAt, repeatAt } = settingsOf(service);
    const { request } = service;
    if (hangAt === at) await delay(foreverMs, undefined, { signal });
    await delay(stepMs, undefined, { signal });
    if (failAt === at && (failTimes === 0 || request.retryCount < failTimes)) {
      throw new DriverError(failCode, `The simulated ${at} step failed.`);
    }
    return { output: outputs[at](request.id), ...(repeatAt === at ? { repeated: true as const } : {}) };
  },
  async undo(_, service, signal) {
    const { stepMs, undoFails } = settingsOf(service);
    await delay(stepMs, undefined, { signal });
    if (undoFails) throw new DriverError("SIMULATED_UNDO_FAILURE", "The simulated step could not be undone.");
  },
  suspend: (service, signal) => delay(settingsOf(service).stepMs, undefined, { signal }),
  resume: (service, signal) => delay(settingsOf(service).stepMs, undefined, { signal }),
  destroy: (service, signal) => delay(settingsOf(service).stepMs, undefined, { signal }),
  // What exists in name only uses nothing.
  metrics: async () => ({ gauges: {}, counters: {} }),
  probe: async () => [{ name: "simulation", ok: true, detail: "A simulation needs no connection." }],
};

/** What each step brings; addresses are from the block for documentation (RFC 5737). */
const outputs: Record<Step, (id: string) => Record<string, unknown>> = {
  ALLOCATE: (id) => ({ instanceId: `sim-${id}` }),
  CONFIGURE: (id) => ({
    ipAddress: `192.0.2.${(Number.parseInt(id.slice(-2), 16) % 254) + 1}`,
    hostname: `vm-${id.slice(-8)}`,
  }),
  ACTIVATE: () => ({ running: true }),
  VERIFY: () => ({ healthy: true }),
};
