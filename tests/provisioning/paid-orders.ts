import { streamOf } from "../../streams/topics.ts";
import { type House, type Person, vm } from "../house.ts";
import { eventually } from "../streams/bus.ts";
import { requests } from "./stages.ts";

/* Orders of a customer's that are paid, as the order service tells of them. */

export interface Paid {
  eventId: string;
  orderId: string;
  items: object[];
  correlationId?: string;
}

export const vmItem = (id: string) => ({
  ...{ id, productId: "vm-small", resourceType: "VM", specification: vm("").specification },
  metadata: { colour: "blue", simulate: { stepMs: 1 } },
});
export const manualItem = (id: string) => ({
  ...{ id, productId: "rack", resourceType: "MANUAL", specification: { task: "rack" } },
});

/** Publishes an event as often as said, through the outbox. */
export async function publish({ world }: House, envelope: any, times = 1): Promise<void> {
  const { eventId, type, correlationId } = envelope;
  for (let i = 0; i < times; i++) {
    await world.pool.query(
      "INSERT INTO outbox_events (eventId, topic, correlationId, createdAt, envelope) VALUES (?, ?, ?, ?, ?)",
      [eventId, type, correlationId, world.now(), JSON.stringify(envelope)],
    );
  }
  world.waker.wake("relay");
}

export function paidOrdersOf(house: House, customer: Person) {
  const ofOrder = async ({ orderId }: Paid): Promise<any[]> =>
    (await customer.call("GET", `${requests}/order/${orderId}`)).data;
  return {
    paid: (items: object[]): Paid => ({
      eventId: house.world.newId(),
      orderId: crypto.randomUUID(),
      items,
    }),
    /** Publishes, as often as said, that an order is paid. */
    tell({ eventId, orderId, items, correlationId = "checkout-1" }: Paid, times = 1): Promise<void> {
      const type = streamOf(house.world.platform, "order.provisioning-started");
      const envelope = {
        ...{ eventId, type, version: 1, occurredAt: house.world.now(), source: "orders" },
        ...{ correlationId, causationId: null, tenantId: customer.tenantId, subject: orderId, sequence: 4 },
        data: { orderId, status: "PROVISIONING", items, total: 12.5, currency: "EUR" },
      };
      return publish(house, envelope, times);
    },
    /** The requests of an order. */
    ofOrder,
    /** Waits until an order has so many requests. */
    has: (order: Paid, count: number) => eventually(async () => (await ofOrder(order)).length === count),
  };
}
