import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import {
  type QuotaCounter,
  type QuotaLimits,
  type QuotaState,
  quotaCounters,
  quotas,
} from "../../schema/provisioning/quota.ts";
import type { ResourceType } from "../../schema/provisioning/specification.ts";
import {
  type Decision,
  defineActor,
  type JobOrder,
  type Lock,
  type Moment,
  type OtherChange,
} from "../runtime/actor.ts";
import { nothing } from "./amounts.ts";
import { crossings } from "./limits.ts";

/** Whose use of what is counted. */
export interface Counted {
  tenantId: string;
  resourceType: ResourceType;
}

/** The use of a type by a tenant, and its limits. Changed with the requests that take or give back, and with the quota. */
export const quotaCounter = defineActor({
  name: "quota counter",
  service: "provisioning",
  table: quotaCounters,
  audited: false,
  accepts: {},
  commands: {},
});

/** The counter's id follows from what it counts, so that it can be locked before anything is known of it. */
export const counterId = ({ tenantId, resourceType }: Counted): string =>
  hash("sha256", `${tenantId} ${resourceType}`, "hex").slice(0, 36);

export const counterLock = (counted: Counted): Lock => [quotaCounter, counterId(counted)];

/** What the counter says. */
type Book = Pick<QuotaCounter, "used" | "limits">;

/** What is used of which limits, under the lock. */
export const bookOf = (counted: Counted, { locked }: Moment): Book =>
  (locked(quotaCounter, counterId(counted)) as QuotaCounter | null) ?? { used: nothing, limits: null };

/** A change of the counter; it is made where there is none yet. */
export function booked(
  { tenantId, resourceType }: Counted,
  set: Partial<Book>,
  { locked }: Moment,
): OtherChange {
  const id = counterId({ tenantId, resourceType });
  return locked(quotaCounter, id)
    ? { actor: quotaCounter, id, set }
    : {
        actor: quotaCounter,
        id,
        set: { tenantId, resourceType, used: nothing, limits: null, ...set },
        create: true,
      };
}

/** How much a tenant may hold of a type. */
export const quota = defineActor({
  name: "quota",
  service: "provisioning",
  table: quotas,
  audited: true,
  accepts: { create: "new", replace: "any", delete: "any" },
  commands: { create, replace, delete: remove },
  furtherLocks: {
    create: (_, input) => [counterLock(input)],
    replace: counterOf,
    delete: counterOf,
  },
});

function counterOf(state: QuotaState | null) {
  return state ? [counterLock(state)] : [];
}

type NewQuota = Counted & { limits: QuotaLimits };

function create(_: QuotaState, input: NewQuota, __: unknown, moment: Moment) {
  return change(input, input, moment);
}

function replace(
  state: QuotaState,
  { limits }: { limits: QuotaLimits },
  _: unknown,
  moment: Moment,
): Decision<QuotaState> {
  return isDeepStrictEqual(limits, state.limits) ? {} : change(state, { limits }, moment);
}

function change<Set extends { limits: QuotaLimits }>(counted: Counted, set: Set, moment: Moment) {
  const { limits } = set;
  const before = bookOf(counted, moment);
  return {
    set,
    detail: { limits },
    also: [booked(counted, { limits }, moment)],
    jobs: warn(counted, crossings(before, { limits, used: before.used }), moment),
  };
}

function remove(state: QuotaState, _: unknown, __: unknown, moment: Moment): Decision<QuotaState> {
  return { remove: true, also: [booked(state, { limits: null }, moment)] };
}

/** The job that tells a tenant how full its quota is; one for each crossing of the level. */
export const quotaWarningJob = "provisioning.quota-warning";

/** Orders that job. */
export const warn = (
  { tenantId, resourceType }: Counted,
  crossed: ReturnType<typeof crossings>,
  { newId }: Moment,
): JobOrder[] =>
  crossed.map((crossing) => ({
    kind: quotaWarningJob,
    key: newId(),
    payload: { tenantId, resourceType, ...crossing },
  }));
