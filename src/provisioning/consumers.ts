import { request } from "../../actors/provisioning/request.ts";
import { originOf } from "../../actors/runtime/actor.ts";
import type { CreateRequest } from "../../schema/provisioning/request-bodies.ts";
import type { Delivery, Group } from "../../streams/group.ts";
import type { EventData } from "../../streams/topics.ts";
import type { Landfall } from "../landfall.ts";

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
  const orders = items.flatMap(({ id: orderItemId, resourceType, specification, metadata }) => {
    const id = world.newId();
    const input = { tenantId, orderId, orderItemId, resourceType, specification, metadata } as CreateRequest;
    return [
      { command: request.create, id, input, origin },
      { command: request.start, id, input: {}, origin },
    ];
  });
  await mailbox.apply({ group, eventId }, orders);
}
