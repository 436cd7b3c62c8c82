import * as v from "valibot";
import { requestStatuses, steps } from "../schema/provisioning/request.ts";
import { resourceTypes } from "../schema/provisioning/specification.ts";
import { FreeMap } from "../schema/values.ts";

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

const id = v.string();
const money = v.pipe(v.number(), v.minValue(0));

const ProvisioningData = v.strictObject({
  requestId: id,
  orderId: id,
  orderItemId: id,
  resourceType: v.picklist(resourceTypes),
  status: v.picklist(requestStatuses),
  step: v.optional(v.picklist(steps)),
  output: v.optional(FreeMap),
  error: v.optional(v.strictObject({ code: v.string(), message: v.string() })),
  clusterId: v.nullable(id),
});

const OrderData = v.strictObject({
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
    v.strictObject({
      id,
      productId: id,
      resourceType: v.picklist(resourceTypes),
      specification: FreeMap,
      metadata: v.optional(FreeMap),
    }),
  ),
  total: money,
  currency: v.string(),
});

const BillingData = v.strictObject({
  invoiceId: v.nullable(id),
  orderId: v.nullable(id),
  amount: money,
  currency: v.string(),
});

const UserData = v.strictObject({ userId: id, email: v.string() });
const NotificationData = v.strictObject({
  notificationId: id,
  userId: id,
  eventType: v.string(),
  error: v.optional(v.string()),
});
const TicketData = v.strictObject({
  ticketId: id,
  subject: v.string(),
  status: v.picklist(["OPEN", "RESOLVED"]),
});

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
  "identity.api-key-created": topic(
    "nonCritical",
    v.strictObject({ apiKeyId: id, name: v.string(), kind: v.picklist(["tenant", "service"]) }),
  ),
  "identity.user-logged-in": topic("nonCritical", UserData),

  "notification.created": topic("nonCritical", NotificationData),
  "notification.email-sent": topic("nonCritical", NotificationData),
  "notification.email-failed": topic("nonCritical", NotificationData),

  "support.ticket-created": topic("default", TicketData),
  "support.comment-added": topic(
    "default",
    v.strictObject({ ...TicketData.entries, commentId: id, internal: v.boolean() }),
  ),
  "support.ticket-resolved": topic("default", TicketData),
  "support.ticket-reopened": topic("default", TicketData),
} as const satisfies Record<string, ReturnType<typeof topic>>;

export type Topic = keyof typeof topics;
export type EventData<T extends Topic> = v.InferOutput<(typeof topics)[T]["data"]>;

/** The Redis stream of a topic. */
export const streamOf = (platform: string, topic: Topic): string => `${platform}.${topic}.v1`;
