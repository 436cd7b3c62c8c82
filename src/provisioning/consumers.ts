import * as v from "valibot";
import { request } from "../../actors/provisioning/request.ts";
import { originOf } from "../../actors/runtime/actor.ts";
import { CreateRequest } from "../../schema/provisioning/request-bodies.ts";
import type { Delivery, Group } from "../../streams/group.ts";
import type { EventData } from "../../streams/topics.ts";
import type { Landfall } from "../landfall.ts";
import { itemsWithRequests } from "./requests.queries.ts";

/** What provisioning hears: a paid order becomes one started request for each item. */
export const provisioningConsumer = (landfall: Landfall): Group => ({
  name: "provisioning",
  topics: ["order.provisioning-started"],
  handle: (delivery) => provisionOrder(landfall, delivery),
});

async function provisionOrder({ world, mailbox }: Landfall, { group, envelope }: Delivery): Promise<void> {
  const { eventId, correlationId, tenantId } = envelope;
  const { orderId, items } = envelope.data as EventData<"order.provisioning-started">;
  const origin = originOf("provisioning", { requestId: eventId, correlationId, causationId: eventId });
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
      { command: request.create, id, input, origin },
      { command: request.start, id, input: {}, origin },
    ];
  });
  await mailbox.apply({ group, eventId }, orders);
}
