import * as v from "valibot";
import { requestStatuses, steps } from "../schema/provisioning/request.ts";
import { resourceTypes } from "../schema/provisioning/specification.ts";
import { exampleId, FreeMap, textLike } from "../schema/values.ts";

/**
 * The retry classes: delays in milliseconds before the second try and those after it. Each doubles from its
 * base up to its cap; a message that fails after the last of them becomes a dead letter.
 */
export const retryDelaysMs = {
  critical: [500, 1000, 2000, 4000, 8000],
  default: [1000, 2000, 4000],
  nonCritical: [2000, 4000],
} as const;
export type RetryClass = keyof typeof retryDelaysMs;

const id = textLike(exampleId);
const money = v.pipe(v.number(), v.minValue(0), v.examples([24.9]));
const currency = v.pipe(v.string(), v.description("ISO 4217."), v.examples(["EUR"]));
const resourceType = v.picklist(resourceTypes);
const specification = v.pipe(
  FreeMap,
  v.examples([{ vcpu: 2, memoryMb: 4096, diskGb: 40, image: "debian-12" }]),
);

const ProvisioningData = v.pipe(
  v.object({
    requestId: id,
    orderId: textLike("order-1"),
    orderItemId: textLike("item-1"),
    resourceType,
    status: v.pipe(v.picklist(requestStatuses), v.description("After the change.")),
    step: v.optional(v.pipe(v.picklist(steps), v.description("The step completed."))),
    output: v.optional(v.pipe(FreeMap, v.description("Of that step, without credentials."))),
    error: v.optional(v.object({ code: textLike("NO_CAPACITY"), message: textLike("The rack is full.") })),
    clusterId: v.pipe(v.nullable(id), v.description("Null: driven through the API.")),
  }),
  v.title("ProvisioningData"),
);

const OrderData = v.pipe(
  v.object({
    orderId: id,
    status: v.picklist([
      "CREATED",
      "PENDING_PAYMENT",
      "PAYMENT_CONFIRMED",
      "PROVISIONING",
      "PARTIALLY_FULFILLED",
      "FULFILLED",
      "FAILED",
      "CANCELLED",
      "REFUNDED",
    ]),
    items: v.array(
      v.object({ id, productId: id, resourceType, specification, metadata: v.optional(FreeMap) }),
    ),
    total: money,
    currency,
  }),
  v.title("OrderData"),
);

const BillingData = v.pipe(
  v.object({ invoiceId: v.nullable(id), orderId: v.nullable(id), amount: money, currency }),
  v.title("BillingData"),
);

const UserData = v.pipe(v.object({ userId: id, email: textLike("ada@example.com") }), v.title("UserData"));

const ApiKeyData = v.pipe(
  v.object({ apiKeyId: id, name: textLike("build server"), kind: v.picklist(["tenant", "service"]) }),
  v.title("ApiKeyData"),
);

const NotificationData = v.pipe(
  v.object({
    notificationId: id,
    userId: id,
    eventType: textLike("provisioning.completed"),
    error: v.optional(v.string()),
  }),
  v.title("NotificationData"),
);

const ticket = {
  ticketId: id,
  subject: textLike("My server does not answer"),
  status: v.picklist(["OPEN", "RESOLVED"]),
};
const TicketData = v.pipe(v.object(ticket), v.title("TicketData"));
const CommentData = v.pipe(
  v.object({
    ...ticket,
    commentId: id,
    internal: v.pipe(v.boolean(), v.description("Not for the customer.")),
  }),
  v.title("CommentData"),
);

const topic = <D extends v.GenericSchema>(retry: RetryClass, data: D) => ({ retry, data });

/** The 41 topics: `<domain>.<event>` with the retry class and the payload of each. */
export const topics = {
  "order.created": topic("default", OrderData),
  "order.payment-confirmed": topic("critical", OrderData),
  "order.provisioning-started": topic("critical", OrderData),
  "order.fulfilled": topic("default", OrderData),
  "order.partially-fulfilled": topic("default", OrderData),
  "order.failed": topic("default", OrderData),
  "order.cancelled": topic("default", OrderData),
  "order.refunded": topic("default", OrderData),
  "order.status-changed": topic("nonCritical", OrderData),

  "provisioning.requested": topic("default", ProvisioningData),
  "provisioning.approval-requested": topic("default", ProvisioningData),
  "provisioning.approved": topic("default", ProvisioningData),
  "provisioning.rejected": topic("default", ProvisioningData),
  "provisioning.started": topic("default", ProvisioningData),
  "provisioning.step-completed": topic("default", ProvisioningData),
  "provisioning.service-activated": topic("critical", ProvisioningData),
  "provisioning.completed": topic("critical", ProvisioningData),
  "provisioning.failed": topic("critical", ProvisioningData),
  "provisioning.rolled-back": topic("default", ProvisioningData),
  "provisioning.suspended": topic("default", ProvisioningData),
  "provisioning.reactivated": topic("default", ProvisioningData),
  "provisioning.deprovisioned": topic("default", ProvisioningData),

  "billing.invoice-generated": topic("default", BillingData),
  "billing.payment-received": topic("critical", BillingData),
  "billing.payment-failed": topic("critical", BillingData),
  "billing.refund-requested": topic("default", BillingData),
  "billing.refund-completed": topic("critical", BillingData),
  "billing.subscription-cancelled": topic("default", BillingData),

  "identity.user-registered": topic("default", UserData),
  "identity.user-locked": topic("default", UserData),
  "identity.mfa-enabled": topic("default", UserData),
  "identity.password-changed": topic("default", UserData),
  "identity.api-key-created": topic("nonCritical", ApiKeyData),
  "identity.user-logged-in": topic("nonCritical", UserData),

  "notification.created": topic("nonCritical", NotificationData),
  "notification.email-sent": topic("nonCritical", NotificationData),
  "notification.email-failed": topic("nonCritical", NotificationData),

  "support.ticket-created": topic("default", TicketData),
  "support.comment-added": topic("default", CommentData),
  "support.ticket-resolved": topic("default", TicketData),
  "support.ticket-reopened": topic("default", TicketData),
} as const satisfies Record<string, ReturnType<typeof topic>>;

export type Topic = keyof typeof topics;
export type EventData<T extends Topic> = v.InferOutput<(typeof topics)[T]["data"]>;

/** The Redis stream of a topic. */
export const streamOf = (platform: string, topic: Topic): string => `${platform}.${topic}.v1`;
