import { index, mysqlTable, uniqueIndex } from "drizzle-orm/mysql-core";
import { document, exactText, recordColumns, word } from "../columns.ts";
import type { Amounts, Dimension } from "./amounts.ts";
import type { ResourceType } from "./specification.ts";

/** The limits by name, each with the dimension that it bounds. */
export const limitNames = {
  maxInstances: "instances",
  maxVcpu: "vcpu",
  maxMemoryMb: "memoryMb",
  maxStorageGb: "storageGb",
  maxPublicIps: "publicIps",
  maxNetworks: "networks",
  maxDnsZones: "dnsZones",
} as const satisfies Record<string, Dimension>;
export type LimitName = keyof typeof limitNames;

/** Absent and -1: unlimited. `warnPercent`: from which use of a limit somebody is warned. */
export type QuotaLimits = Partial<Record<LimitName, number>> & { warnPercent: number };

/** How much a tenant may hold of a resource type; where there is none, as much as it likes. */
export const quotas = mysqlTable(
  "quotas",
  {
    ...recordColumns,
    tenantId: exactText({ length: 64 }).notNull(),
    resourceType: word<ResourceType>().notNull(),
    limits: document<QuotaLimits>().notNull(),
  },
  (t) => [
    uniqueIndex("quotas_tenant_type").on(t.tenantId, t.resourceType),
    index("quotas_created").on(t.createdAt, t.id, t.tenantId),
  ],
);
export type QuotaState = typeof quotas.$inferSelect;

/**
 * What the requests of a tenant hold of a type, with or without a quota: a sum kept in the commits that change it.
 * The quota's limits stand beside it, so that both are known under one lock.
 */
export const quotaCounters = mysqlTable(
  "quota_counters",
  {
    ...recordColumns,
    tenantId: exactText({ length: 64 }).notNull(),
    resourceType: word<ResourceType>().notNull(),
    used: document<Amounts>().notNull(),
    /** Null without a quota. */
    limits: document<QuotaLimits>(),
  },
  (t) => [index("quota_counters_tenant").on(t.tenantId, t.resourceType)],
);
export type QuotaCounter = typeof quotaCounters.$inferSelect;
