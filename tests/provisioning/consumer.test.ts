import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { streamOf } from "../../streams/topics.ts";
import { type House, openHouse, type Person } from "../house.ts";
import { eventually } from "../streams/bus.ts";
import { eventsAbout, requests } from "./stages.ts";

let house: House;
let customer: Person;
beforeAll(async () => {
  house = await openHouse();
  customer = await house.signUp();
});
afterAll(() => house.close());

const vmItem = (id: string) => ({
  id,
  productId: "vm-small",
  resourceType: "VM",
  specification: { vcpu: 1, memoryMb: 1024, diskGb: 10, image: "debian-12" },
  metadata: { colour: "blue", simulate: { stepMs: 1 } },
});
const manualItem = (id: string) => ({
  id,
  productId: "rack",
  resourceType: "MANUAL",
  specification: { task: "rack" },
});

interface Paid {
  eventId: string;
  orderId: string;
  items: object[];
  correlationId?: string;
}

/** The event that an order is paid, into the outbox as often as said. */
async function tell(
  { eventId, orderId, items, correlationId = "checkout-1" }: Paid,
  times = 1,
): Promise<void> {
  const topic = streamOf(house.world.platform, "order.provisioning-started");
  const envelope = JSON.stringify({
    ...{ eventId, type: topic, version: 1, occurredAt: house.world.now(), source: "orders" },
    ...{ correlationId, causationId: null, tenantId: customer.tenantId, subject: orderId, sequence: 4 },
    data: { orderId, status: "PROVISIONING", items, total: 12.5, currency: "EUR" },
  });
  for (let i = 0; i < times; i++) {
    await house.world.pool.query(
      "INSERT INTO outbox_events (eventId, topic, correlationId, createdAt, envelope) VALUES (?, ?, ?, ?, ?)",
      [eventId, topic, correlationId, house.world.now(), envelope],
    );
  }
  house.world.waker.wake("relay");
}
const paid = (items: object[]): Paid => ({
  eventId: house.world.newId(),
  orderId: crypto.randomUUID(),
  items,
});

const ofOrder = async ({ orderId }: Paid): Promise<any[]> =>
  (await customer.call("GET", `${requests}/order/${orderId}`)).data;
const has = (order: Paid, count: number) => eventually(async () => (await ofOrder(order)).length === count);
const itemsOf = (found: any[]) => found.map(({ orderItemId }) => orderItemId).sort();

describe("order.provisioning-started", () => {
  test("makes one started request of each item", async () => {
    const order = paid([vmItem("item-1"), vmItem("item-2"), manualItem("item-3")]);
    await tell(order);
    await has(order, 3);
    const found = await ofOrder(order);
    expect(itemsOf(found)).toEqual(["item-1", "item-2", "item-3"]);
    for (const { id, orderItemId, resourceType, tenantId, createdBy } of found) {
      expect([tenantId, createdBy]).toEqual([customer.tenantId, "provisioning"]);
      const ready = resourceType === "VM" ? "ACTIVE" : "AWAITING_MANUAL";
      const request = await house.until(customer, id, ready);
      const { specification, metadata = {} } = order.items.find(
        (item: any) => item.id === orderItemId,
      ) as any;
      expect([request.specification, request.metadata]).toEqual([specification, metadata]);
    }
  });

  test("hands on what the requests follow from", async () => {
    const order = { ...paid([vmItem("item-1")]), correlationId: "checkout-7" };
    await tell(order);
    await has(order, 1);
    const [{ id }] = await ofOrder(order);
    await house.until(customer, id, "ACTIVE");
    const events = await eventsAbout(house, id);
    expect(new Set(events.map(({ correlationId }) => correlationId))).toEqual(new Set(["checkout-7"]));
    expect(events.slice(0, 2).map(({ causationId }) => causationId)).toEqual([order.eventId, order.eventId]);
    const { data: trail } = await customer.call("GET", `${requests}/${id}/audit`);
    for (const { actor, correlationId } of trail) {
      expect([actor, correlationId]).toEqual([{ id: "provisioning", kind: "system" }, "checkout-7"]);
    }
  });

  test("counts once, however often it is delivered", async () => {
    const order = paid([vmItem("item-1"), manualItem("item-2")]);
    await tell(order, 3);
    const later = paid([vmItem("item-1")]);
    await tell(later);
    // What comes after them in the stream has been handled, so they have.
    await has(later, 1);
    expect(itemsOf(await ofOrder(order))).toEqual(["item-1", "item-2"]);
    const repeats = await house.rows("SELECT COUNT(*) AS total FROM outbox_events WHERE eventId = ?", [
      order.eventId,
    ]);
    expect(repeats).toEqual([{ total: 3 }]);
  });

  test("makes one request of an item, whatever tells of it", async () => {
    const order = paid([vmItem("item-1")]);
    await tell(order);
    await has(order, 1);
    const again = { ...order, eventId: house.world.newId(), items: [vmItem("item-1"), vmItem("item-2")] };
    await tell(again);
    await has(order, 2);
    expect(itemsOf(await ofOrder(order))).toEqual(["item-1", "item-2"]);
  });

  test("passes over what later versions may tell", async () => {
    const order = paid([{ ...vmItem("item-1"), sku: "vm-small", name: "Small machine" }]);
    await tell(order);
    await has(order, 1);
  });

  test("makes requests for many orders at once", async () => {
    const orders = Array.from({ length: 30 }, () => paid([vmItem("item-1"), vmItem("item-2")]));
    await Promise.all(orders.map((order) => tell(order)));
    for (const order of orders) {
      await has(order, 2);
      for (const { id } of await ofOrder(order)) await house.until(customer, id, "ACTIVE");
    }
  });

  test("of an order without items makes nothing", async () => {
    const [empty, later] = [paid([]), paid([vmItem("item-1")])];
    await tell(empty);
    await tell(later);
    await has(later, 1);
    expect(await ofOrder(empty)).toEqual([]);
  });
});
