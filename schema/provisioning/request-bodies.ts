import * as v from "valibot";
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
import { requestStatuses, stepStatuses, steps } from "./request.ts";
import { type ResourceType, resourceTypes, specifications } from "./specification.ts";

/* What a provisioning request is ordered and driven with, and how it is answered. */

const createFields = {
  tenantId: v.pipe(ForeignId, v.description("The tenant that the service is for.")),
  orderId: v.pipe(ForeignId, v.examples(["order-1"])),
  orderItemId: v.pipe(ForeignId, v.examples(["item-1"])),
  metadata: v.optional(
    v.pipe(FreeMap, v.description("Kept with the request; `simulate` steers a simulated cluster.")),
  ),
};

/** What can be said of a body without a resource type. */
const CreateAny = object({
  ...createFields,
  resourceType: v.picklist(resourceTypes, "Must be a resource type."),
  specification: FreeMap,
});

/** A choice by `resourceType` that names every other fault as well where there is none to choose by. */
function byResourceType<S extends v.GenericSchema>(choice: S): S {
  const run: S["~run"] = (dataset, config) => {
    const { resourceType } = Object(dataset.value) as { resourceType?: unknown };
    const known = resourceTypes.some((type) => type === resourceType);
    return known ? choice["~run"](dataset, config) : (CreateAny["~run"](dataset, config) as never);
  };
  return { ...choice, "~run": run };
}

/** The body of a new request; the shape of `specification` follows from `resourceType`. */
export const CreateRequest = v.pipe(
  byResourceType(
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
