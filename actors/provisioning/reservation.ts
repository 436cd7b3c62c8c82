import { ServiceError } from "../../schema/errors.ts";
import type { Amounts } from "../../schema/provisioning/amounts.ts";
import type { Cluster } from "../../schema/provisioning/cluster.ts";
import type { RequestState } from "../../schema/provisioning/request.ts";
import type { JobOrder, Lock, Moment, OtherChange } from "../runtime/actor.ts";
import { minus, nothing, plus } from "./amounts.ts";
import { cluster } from "./cluster.ts";
import { crossings, excesses, highestPercent } from "./limits.ts";
import { booked, bookOf, type Counted, counterLock, warn } from "./quota.ts";

/*
 * What a request takes of its tenant's quota and of its cluster: taken with the create or the retry, in the same
 * commit, and given back when the request has ended. Both sums are changed under their locks, so they never drift.
 */

type Holder = Counted & Pick<RequestState, "clusterId" | "reserved">;

/** What must be locked to take or give back. */
export const holdings = (state: Omit<Holder, "reserved">): Lock[] => [
  counterLock(state),
  ...(state.clusterId ? [[cluster, state.clusterId] as const] : []),
];

export interface Reservation {
  also: OtherChange[];
  /** Warnings that a limit is nearly reached. */
  jobs: JobOrder[];
  /** Use of the fullest limit with this request, in per cent; null where nothing is limited. */
  percent: number | null;
}

/** Takes amounts for a request; throws `quota_exceeded` with the first limit that they would pass. */
export function reserve(holder: Omit<Holder, "reserved">, amounts: Amounts, moment: Moment): Reservation {
  const { limits, used: before } = bookOf(holder, moment);
  const [excess] = excesses(limits, before, amounts);
  if (excess) {
    throw new ServiceError("quota_exceeded", "The request would pass a limit of the tenant's quota.", {
      ...excess,
    });
  }
  const used = plus(before, amounts);
  const crossed = limits ? crossings({ limits, used: before }, { limits, used }) : [];
  return {
    also: [booked(holder, { used }, moment), ...occupy(holder.clusterId, amounts, moment)],
    jobs: warn(holder, crossed, moment),
    percent: highestPercent(limits, used),
  };
}

/** Gives back what a request holds. */
export function release(holder: Holder, moment: Moment): OtherChange[] {
  const { reserved, clusterId } = holder;
  if (!reserved) return [];
  return [
    booked(holder, { used: minus(bookOf(holder, moment).used, reserved) }, moment),
    ...occupy(clusterId, minus(nothing, reserved), moment),
  ];
}

/** Changes what is used of a cluster; does nothing where there is none, or no longer. */
export function occupy(clusterId: string | null, amounts: Amounts, { locked }: Moment): OtherChange[] {
  const found = clusterId && (locked(cluster, clusterId) as Cluster | null);
  if (!found) return [];
  const { vcpu, memoryMb, storageGb, instances } = found.used;
  const used = {
    vcpu: vcpu + amounts.vcpu,
    memoryMb: memoryMb + amounts.memoryMb,
    storageGb: storageGb + amounts.storageGb,
    instances: instances + amounts.instances,
  };
  return [{ actor: cluster, id: found.id, set: { used }, quiet: true }];
}
