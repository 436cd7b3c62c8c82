import { index, json, mysqlTable, tinyint } from "drizzle-orm/mysql-core";
import * as v from "valibot";
import { document, exactText, id, recordColumns, word } from "../columns.ts";
import {
  exampleId,
  ForeignId,
  FreeMap,
  Id,
  integer,
  map,
  object,
  openObject,
  Timestamp,
  text,
  textLike,
  Version,
} from "../values.ts";
import type { ClusterType } from "./cluster.ts";
import { type ResourceType, resourceTypes, specifications } from "./specification.ts";

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

const createFields = {
  tenantId: v.pipe(ForeignId, v.description("The tenant that the service is for.")),
  orderId: v.pipe(ForeignId, v.examples(["order-1"])),
  orderItemId: v.pipe(ForeignId, v.examples(["item-1"])),
  metadata: v.optional(
    v.pipe(FreeMap, v.description("Kept with the request; `simulate` steers a simulated cluster.")),
  ),
};

/** The body of a new request; the shape of `specification` follows from `resourceType`. */
export const CreateRequest = v.pipe(
  v.variant(
    "resourceType",
    [
      createOf("VM"),
      createOf("BARE_METAL"),
      createOf("KUBERNETES"),
      createOf("VOLUME"),
      createOf("OBJECT_STORAGE"),
      createOf("DATABASE"),
      createOf("LOAD_BALANCER"),
      createOf("FLOATING_IP"),
      createOf("NETWORK"),
      createOf("DNS_ZONE"),
      createOf("BACKUP"),
      createOf("MANUAL"),
    ],
    "Must be a resource type.",
  ),
  v.title("ProvisioningRequestCreate"),
  v.examples([
    {
      tenantId: "tenant-1",
      orderId: "order-1",
      orderItemId: "item-1",
      resourceType: "VM",
      specification: { vcpu: 2, memoryMb: 4096, diskGb: 40, image: "debian-12" },
    } as never,
  ]),
);
export type CreateRequest = v.InferOutput<typeof CreateRequest>;

function createOf<T extends ResourceType>(type: T) {
  return object({
    ...createFields,
    resourceType: v.literal(type),
    specification: specifications[type] as (typeof specifications)[T],
  });
}

/** Texts by name, such as credentials and endpoints. */
const TextMap = map(text(0, 8192));

export const AdvanceStep = v.pipe(
  v.optional(
    object({
      output: v.optional(
        v.pipe(
          openObject({ credentials: v.optional(TextMap) }),
          v.description(
            "Belongs to the step it completes; its `credentials` go to the service's access, sealed.",
          ),
        ),
      ),
    }),
    {},
  ),
  v.title("AdvanceStep"),
  v.examples([{ output: { instanceId: "i-1", ipAddress: "192.0.2.1" } }]),
);
export type AdvanceStep = v.InferOutput<typeof AdvanceStep>;

export const FailRequest = v.pipe(
  object({
    code: v.pipe(text(1, 64), v.examples(["NO_CAPACITY"])),
    message: v.pipe(text(1, 2000), v.examples(["The rack is full."])),
  }),
  v.title("FailRequest"),
);
export type FailRequest = v.InferOutput<typeof FailRequest>;

export const ManualComplete = v.pipe(
  v.optional(
    object({
      ipAddress: v.optional(v.pipe(v.string(), v.ip("Must be an IP address."))),
      hostname: v.optional(text(1, 253)),
      credentials: v.optional(
        v.pipe(TextMap, v.description("Encrypted at rest; shown by GET of one request alone.")),
      ),
      endpoints: v.optional(TextMap),
      notes: v.optional(text(0, 10_000)),
    }),
    {},
  ),
  v.title("ManualComplete"),
  v.examples([{ ipAddress: "192.0.2.1", hostname: "web-1", notes: "In rack 4." }]),
);
export type ManualComplete = v.InferOutput<typeof ManualComplete>;

const FaultBody = object({ code: textLike("NO_CAPACITY"), message: textLike("The rack is full.") });

/** A request as it is answered. */
export const ProvisioningRequest = v.pipe(
  object({
    id: Id,
    tenantId: textLike("tenant-1"),
    orderId: textLike("order-1"),
    orderItemId: textLike("item-1"),
    resourceType: v.picklist(resourceTypes),
    specification: v.pipe(
      FreeMap,
      v.description("As it was ordered."),
      v.examples([{ vcpu: 2, memoryMb: 4096, diskGb: 40, image: "debian-12" }]),
    ),
    metadata: FreeMap,
    status: v.pipe(v.picklist(requestStatuses), v.examples(["ACTIVE"])),
    currentStep: v.pipe(v.nullable(v.picklist(steps)), v.description("Null where it is on none.")),
    steps: v.array(
      object({
        step: v.picklist(steps),
        status: v.pipe(v.picklist(stepStatuses), v.examples(["COMPLETED"])),
        attempt: v.pipe(integer(1, 100), v.description("`retryCount` + 1.")),
        startedAt: v.nullable(Timestamp),
        finishedAt: v.nullable(Timestamp),
        output: v.nullable(FreeMap),
        error: v.nullable(FaultBody),
      }),
    ),
    retryCount: integer(0, 100),
    maxRetries: v.pipe(integer(0, 100), v.examples([3])),
    clusterId: v.pipe(v.nullable(Id), v.description("Null: driven through the API.")),
    access: v.nullable(
      object({
        ipAddress: v.nullable(v.string()),
        hostname: v.nullable(v.string()),
        credentials: v.optional(v.nullable(v.record(v.string(), v.string()))),
        endpoints: v.nullable(v.record(v.string(), v.string())),
        notes: v.nullable(v.string()),
      }),
    ),
    error: v.nullable(FaultBody),
    createdBy: textLike(exampleId),
    version: Version,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
  v.title("ProvisioningRequest"),
);
export type ProvisioningRequest = v.InferOutput<typeof ProvisioningRequest>;
