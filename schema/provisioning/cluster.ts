import { boolean, index, json, mysqlTable } from "drizzle-orm/mysql-core";
import { document, label, recordColumns, word } from "../columns.ts";
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
export const drivenClusterTypes: readonly ClusterType[] = ["SIMULATED"];

/** Infrastructure that requests are placed on. */
export const clusters = mysqlTable(
  "clusters",
  {
    ...recordColumns,
    name: label({ length: 200 }).notNull(),
    type: word<ClusterType>().notNull(),
    region: label({ length: 100 }).notNull(),
    /** Null: every type. */
    supportedResourceTypes: json().$type<ResourceType[]>(),
    isDefault: boolean().notNull(),
    provisioningEnabled: boolean().notNull(),
    metadata: document<Record<string, unknown>>().notNull(),
  },
  (t) => [index("clusters_type").on(t.type)],
);
export type Cluster = typeof clusters.$inferSelect;
