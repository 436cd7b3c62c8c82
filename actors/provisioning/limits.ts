import type { Amounts } from "../../schema/provisioning/amounts.ts";
import { type LimitName, limitNames, type QuotaLimits } from "../../schema/provisioning/quota.ts";

/* What a quota's limits say of amounts. No quota (null) bounds nothing. */

/** A limit that a request would pass. */
export interface Excess {
  dimension: LimitName;
  limit: number;
  used: number;
  requested: number;
}

/** The limits that there are, with what is used of each. */
function bounded(limits: QuotaLimits | null, used: Amounts) {
  if (!limits) return [];
  return (Object.keys(limitNames) as LimitName[]).flatMap((dimension) => {
    const limit = limits[dimension] ?? -1;
    return limit < 0 ? [] : [{ dimension, limit, used: used[limitNames[dimension]] }];
  });
}

/** The limits that `requested` would pass beside what is `used`. What is not asked for passes none. */
export const excesses = (limits: QuotaLimits | null, used: Amounts, requested: Amounts): Excess[] =>
  bounded(limits, used)
    .map((bound) => ({ ...bound, requested: requested[limitNames[bound.dimension]] }))
    .filter(({ limit, used, requested }) => requested > 0 && used + requested > limit);

/** Use of a limit in per cent, with two decimals; of a limit of 0 that is passed, 100. */
export const percentOf = (limit: number, used: number): number =>
  limit === 0 ? (used > 0 ? 100 : 0) : Math.round((used / limit) * 10_000) / 100;

/** Use of the fullest limit in per cent; null where nothing is limited. */
export function highestPercent(limits: QuotaLimits | null, used: Amounts): number | null {
  const all = bounded(limits, used).map(({ limit, used }) => percentOf(limit, used));
  return all.length > 0 ? Math.max(...all) : null;
}

/** The limits whose use is at the level of `warnPercent` now, and was below it, or was not limited, before. */
export function crossings(
  before: { limits: QuotaLimits | null; used: Amounts },
  { limits, used }: { limits: QuotaLimits; used: Amounts },
) {
  const warned = new Set(reached(before.limits, before.used).map(({ dimension }) => dimension));
  return reached(limits, used).filter(({ dimension }) => !warned.has(dimension));
}

const reached = (limits: QuotaLimits | null, used: Amounts) =>
  bounded(limits, used)
    .filter(({ limit, used }) => limits && used > 0 && 100 * used >= limit * limits.warnPercent)
    .map((bound) => ({ ...bound, percent: percentOf(bound.limit, bound.used) }));
