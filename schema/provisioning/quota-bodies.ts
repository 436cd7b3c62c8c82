import * as v from "valibot";
import { Id, integer, object, Timestamp, textLike, Version } from "../values.ts";
import { type Dimension, dimensions } from "./amounts.ts";
import { type LimitName, limitNames } from "./quota.ts";
import { resourceTypes } from "./specification.ts";

/* How quotas are set and answered, and what is used of them. */

const limit = (description: string) =>
  v.optional(v.pipe(integer(-1, Number.MAX_SAFE_INTEGER), v.description(`${description} -1: unlimited.`)));

const limits = {
  maxInstances: limit("Requests."),
  maxVcpu: limit("Virtual cores."),
  maxMemoryMb: limit("Memory in MiB."),
  maxStorageGb: limit("Storage in GiB."),
  maxPublicIps: limit("Public addresses."),
  maxNetworks: limit("Networks."),
  maxDnsZones: limit("DNS zones."),
} satisfies Record<LimitName, unknown>;

export const QuotaLimits = v.pipe(
  object({
    ...limits,
    warnPercent: v.optional(
      v.pipe(
        integer(1, 100),
        v.description("Somebody is warned each time the use of a limit comes to so many per cent of it."),
      ),
      80,
    ),
  }),
  v.title("QuotaLimits"),
  v.description("A limit that is absent does not bound anything."),
  v.examples([{ maxInstances: 10, maxVcpu: 40, maxMemoryMb: 163_840, warnPercent: 80 }]),
);

export const SetQuota = v.pipe(object({ limits: QuotaLimits }), v.title("QuotaSet"));
export type SetQuota = v.InferOutput<typeof SetQuota>;

export const Quota = v.pipe(
  object({
    id: Id,
    tenantId: textLike("tenant-1"),
    resourceType: v.picklist(resourceTypes),
    limits: QuotaLimits,
    version: Version,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
  v.title("Quota"),
);
export type Quota = v.InferOutput<typeof Quota>;

const eachOf = <S extends v.GenericSchema>(schema: S) =>
  object(Object.fromEntries(dimensions.map((name) => [name, schema])) as Record<Dimension, S>);

const amount = v.pipe(v.number(), v.integer());

const Excess = object({
  dimension: v.picklist(Object.keys(limitNames) as LimitName[]),
  limit: amount,
  used: amount,
  requested: amount,
});

export const QuotaUsage = v.pipe(
  object({
    tenantId: textLike("tenant-1"),
    resources: v.pipe(
      v.array(
        object({
          resourceType: v.picklist(resourceTypes),
          limits: v.pipe(
            object({ ...limits, warnPercent: v.optional(integer(1, 100)) }),
            v.title("UsedLimits"),
            v.description("Empty where there is no quota."),
          ),
          used: v.pipe(eachOf(amount), v.description("What the tenant's requests hold.")),
          available: v.pipe(
            eachOf(v.nullable(amount)),
            v.description("What is left of each limit, 0 at the least; null: unlimited."),
          ),
          percent: v.pipe(
            eachOf(v.nullable(v.number())),
            v.description("Use of each limit in per cent; null: unlimited."),
          ),
        }),
      ),
      v.description("One entry for each resource type."),
    ),
    preview: v.optional(
      v.pipe(
        object({ fits: v.boolean(), exceeded: v.array(Excess) }),
        v.description("Whether the request that was asked about would be taken, and what it would pass."),
      ),
    ),
  }),
  v.title("QuotaUsage"),
);
export type QuotaUsage = v.InferOutput<typeof QuotaUsage>;
