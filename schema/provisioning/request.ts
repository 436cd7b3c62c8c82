import { boolean, index, json, mysqlTable, tinyint } from "drizzle-orm/mysql-core";
import { document, exactText, id, recordColumns, word } from "../columns.ts";
import type { Amounts } from "./amounts.ts";
import type { ClusterType } from "./cluster.ts";
import type { ResourceType } from "./specification.ts";

export const requestStatuses = [
  "PENDING_APPROVAL",
  "PENDING",
  "REJECTED",
  "PROVISIONING",
  "AWAITING_MANUAL",
  "ROLLING_BACK",
  "ROLLBACK_FAILED",
  "FAILED",
  "ACTIVE",
  "SUSPENDED",
  "DEPROVISIONING",
  "DEPROVISIONED",
] as const;
export type RequestStatus = (typeof requestStatuses)[number];

/** The four ordered steps of every provisioning. */
export const steps = ["ALLOCATE", "CONFIGURE", "ACTIVATE", "VERIFY"] as const;
export type Step = (typeof steps)[number];

export const stepStatuses = ["PENDING", "RUNNING", "COMPLETED", "FAILED", "ROLLED_BACK"] as const;

/** Why a step or request failed. */
export interface Fault {
  code: string;
  message: string;
}

export interface StepState {
  step: Step;
  status: (typeof stepStatuses)[number];
  /** `retryCount` + 1. */
  attempt: number;
  startedAt: string | null;
  finishedAt: string | null;
  output: Record<string, unknown> | null;
  error: Fault | null;
}

/** How the service is reached. Credentials lie apart, sealed. */
export interface Access {
  ipAddress: string | null;
  hostname: string | null;
  endpoints: Record<string, string> | null;
  notes: string | null;
}

export const provisioningRequests = mysqlTable(
  "provisioning_requests",
  {
    ...recordColumns,
    tenantId: exactText({ length: 64 }).notNull(),
    orderId: exactText({ length: 64 }).notNull(),
    orderItemId: exactText({ length: 64 }).notNull(),
    resourceType: word<ResourceType>().notNull(),
    specification: document<Record<string, unknown>>().notNull(),
    metadata: document<Record<string, unknown>>().notNull(),
    status: word<RequestStatus>().notNull(),
    currentStep: word<Step>(),
    steps: document<StepState[]>().notNull(),
    retryCount: tinyint().notNull(),
    maxRetries: tinyint().notNull(),
    clusterId: id(),
    /** The type of the cluster it was placed on; decides whether a driver carries it out. */
    clusterType: word<ClusterType>(),
    access: json().$type<Access>(),
    /** Sealed parts of the access credentials, the latest last. */
    sealedCredentials: json().$type<string[]>(),
    error: json().$type<Fault>(),
    /** The status that the driver has brought about; differs from `status` while it has still to suspend or resume. */
    settledStatus: word<RequestStatus>(),
    /** Steps of an earlier attempt that could not be undone; the worker undoes them before it starts anew. */
    leftovers: json().$type<Step[]>().notNull(),
    /** What it takes of its tenant's quota and of its cluster; null where it takes nothing, or no longer. */
    reserved: json().$type<Amounts>(),
    /** Its approval; null where none was needed. */
    approvalId: id(),
    /** An order wants it: it starts by itself once it is approved. */
    startsWhenApproved: boolean().notNull().default(false),
    createdBy: exactText({ length: 64 }).notNull(),
  },
  (t) => [
    index("provisioning_requests_tenant").on(t.tenantId, t.createdAt, t.id),
    index("provisioning_requests_created").on(t.createdAt, t.id),
    index("provisioning_requests_order").on(t.orderId),
    // In the order of the lists, and with what else is asked for, so that pages are found and counted without rows.
    index("provisioning_requests_cluster").on(t.clusterId, t.createdAt, t.id, t.tenantId),
    index("provisioning_requests_status").on(t.status, t.createdAt, t.id, t.tenantId, t.resourceType),
    index("provisioning_requests_type").on(t.resourceType, t.createdAt, t.id, t.tenantId),
  ],
);
export type RequestState = typeof provisioningRequests.$inferSelect;
