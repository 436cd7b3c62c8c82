import { sql } from "drizzle-orm";
import { boolean, index, json, mysqlTable } from "drizzle-orm/mysql-core";
import { document, instant, label, longText, recordColumns, word } from "../columns.ts";
import type { ResourceType } from "./specification.ts";

export const clusterTypes = [
  "OPENSTACK",
  "PROXMOX",
  "KUBERNETES",
  "VMWARE",
  "POWERDNS",
  "MANUAL",
  "SIMULATED",
] as const;
export type ClusterType = (typeof clusterTypes)[number];

/** The types whose requests a driver carries out; requests on any other are driven through the API. */
export const drivenClusterTypes: readonly ClusterType[] = ["OPENSTACK", "SIMULATED"];

/** What its last test said of a cluster; `UNKNOWN` before the first, and after a change of where and how it is reached. */
export const clusterStatuses = ["UNKNOWN", "HEALTHY", "UNHEALTHY"] as const;
export type ClusterStatus = (typeof clusterStatuses)[number];

/** What the requests on a cluster take of it, and what a cluster can be full of. */
export const capacityNames = ["vcpu", "memoryMb", "storageGb", "instances"] as const;
/** What is absent is unlimited. */
export type Capacity = Partial<Record<(typeof capacityNames)[number], number>>;
export type ClusterUse = Record<(typeof capacityNames)[number], number>;
export const noUse: ClusterUse = { vcpu: 0, memoryMb: 0, storageGb: 0, instances: 0 };

/** Infrastructure that requests are placed on. */
export const clusters = mysqlTable(
  "clusters",
  {
    ...recordColumns,
    name: label({ length: 200 }).notNull(),
    type: word<ClusterType>().notNull(),
    region: label({ length: 100 }).notNull(),
    authUrl: longText(),
    apiUrl: longText(),
    projectName: label({ length: 200 }),
    domainName: label({ length: 200 }),
    /** Where the secret lies, never the secret: `env:NAME` or `file:NAME`. */
    credentialsRef: label({ length: 200 }),
    /** Null: every type. */
    supportedResourceTypes: json().$type<ResourceType[]>(),
    isDefault: boolean().notNull(),
    /** False: it is being drained, and takes no new requests. */
    provisioningEnabled: boolean().notNull(),
    capacity: document<Capacity>().notNull().default(sql`('{}')`),
    /** What the requests placed on it hold; a sum kept in the commits that change it. */
    used: document<ClusterUse>()
      .notNull()
      .default(sql`('{"vcpu":0,"memoryMb":0,"storageGb":0,"instances":0}')`),
    metadata: document<Record<string, unknown>>().notNull(),
    status: word<ClusterStatus>().notNull().default("UNKNOWN"),
    /** Since when it has this status; null while it is unknown. */
    statusSince: instant(),
  },
  (t) => [index("clusters_type").on(t.type)],
);
export type Cluster = typeof clusters.$inferSelect;
