import * as v from "valibot";
import { request } from "../../actors/provisioning/request.ts";
import { originOf } from "../../actors/runtime/actor.ts";
import { CreateRequest } from "../../schema/provisioning/request-bodies.ts";
import type { Delivery, Group } from "../../streams/group.ts";
import type { EventData } from "../../streams/topics.ts";
import type { Landfall } from "../landfall.ts";
import { itemsWithRequests, startsWhenApproved } from "./requests.queries.ts";

/** What provisioning hears: a paid order becomes one started request for each item, after approval where a rule wants it. */
export const provisioningConsumer = (landfall: Landfall): Group => ({
  name: "provisioning",
  topics: ["order.provisioning-started", "provisioning.approved"],
  handle: (delivery) =>
    delivery.topic === "provisioning.approved"
      ? startApproved(landfall, delivery)
      : provisionOrder(landfall, delivery),
});

const originFrom = ({ eventId, correlationId }: Delivery["envelope"]) =>
  originOf("provisioning", { requestId: eventId, correlationId, causationId: eventId });

/** What an order wants is started once it is approved. */
async function startApproved({ world, mailbox }: Landfall, { group, envelope }: Delivery): Promise<void> {
  const { eventId, subject } = envelope;
  const wanted = await startsWhenApproved(world, subject);
  const order = { command: request.start, id: subject, input: {}, origin: originFrom(envelope) };
  await mailbox.apply({ group, eventId }, wanted ? [order] : []);
}

async function provisionOrder({ world, mailbox }: Landfall, { group, envelope }: Delivery): Promise<void> {
  const { eventId, tenantId } = envelope;
  const { orderId, items } = envelope.data as EventData<"order.provisioning-started">;
  const origin = originFrom(envelope);
  const made = await itemsWithRequests(world, orderId);
  const orders = items.flatMap(({ id: orderItemId, resourceType, specification, metadata }) => {
    if (made.has(orderItemId)) return [];
    const id = world.newId();
    // What the API would refuse ends as a dead letter.
    const input = v.parse(CreateRequest, {
      ...{ tenantId, orderId, orderItemId, resourceType, specification },
      ...(metadata ? { metadata } : {}),
    });
    return [
      { command: request.create, id, input: { ...input, startsWhenApproved: true as const }, origin },
      { command: request.start, id, input: {}, origin },
    ];
  });
  await mailbox.apply({ group, eventId }, orders);
}
