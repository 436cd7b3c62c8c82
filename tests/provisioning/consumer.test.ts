import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { manualItem, paidOrdersOf, vmItem } from "./paid-orders.ts";
import { eventsAbout, requests } from "./stages.ts";

let house: House;
let customer: Person;
let orders: ReturnType<typeof paidOrdersOf>;
beforeAll(async () => {
  house = await openHouse();
  customer = await house.signUp();
  orders = paidOrdersOf(house, customer);
});
afterAll(() => house.close());

const itemsOf = (found: any[]) => found.map(({ orderItemId }) => orderItemId).sort();

describe("order.provisioning-started", () => {
  test("makes one started request of each item", async () => {
    const order = orders.paid([vmItem("item-1"), vmItem("item-2"), manualItem("item-3")]);
    await orders.tell(order);
    await orders.has(order, 3);
    const found = await orders.ofOrder(order);
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
    const order = { ...orders.paid([vmItem("item-1")]), correlationId: "checkout-7" };
    await orders.tell(order);
    await orders.has(order, 1);
    const [{ id }] = await orders.ofOrder(order);
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
    const order = orders.paid([vmItem("item-1"), manualItem("item-2")]);
    await orders.tell(order, 3);
    const later = orders.paid([vmItem("item-1")]);
    await orders.tell(later);
    // What comes after them in the stream has been handled, so they have.
    await orders.has(later, 1);
    expect(itemsOf(await orders.ofOrder(order))).toEqual(["item-1", "item-2"]);
    const repeats = await house.rows("SELECT COUNT(*) AS total FROM outbox_events WHERE eventId = ?", [
      order.eventId,
    ]);
    expect(repeats).toEqual([{ total: 3 }]);
  });

  test("makes one request of an item, whatever tells of it", async () => {
    const order = orders.paid([vmItem("item-1")]);
    await orders.tell(order);
    await orders.has(order, 1);
    const again = { ...order, eventId: house.world.newId(), items: [vmItem("item-1"), vmItem("item-2")] };
    await orders.tell(again);
    await orders.has(order, 2);
    expect(itemsOf(await orders.ofOrder(order))).toEqual(["item-1", "item-2"]);
  });

  test("passes over what later versions may tell", async () => {
    const order = orders.paid([{ ...vmItem("item-1"), sku: "vm-small", name: "Small machine" }]);
    await orders.tell(order);
    await orders.has(order, 1);
  });

  test("makes requests for many orders at once", async () => {
    const many = Array.from({ length: 30 }, () => orders.paid([vmItem("item-1"), vmItem("item-2")]));
    await Promise.all(many.map((order) => orders.tell(order)));
    for (const order of many) {
      await orders.has(order, 2);
      for (const { id } of await orders.ofOrder(order)) await house.until(customer, id, "ACTIVE");
    }
  });

  test("of an order without items makes nothing", async () => {
    const [empty, later] = [orders.paid([]), orders.paid([vmItem("item-1")])];
    await orders.tell(empty);
    await orders.tell(later);
    await orders.has(later, 1);
    expect(await orders.ofOrder(empty)).toEqual([]);
  });
});
