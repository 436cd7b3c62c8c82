import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { eventually } from "../streams/bus.ts";
import { approvalOf, decide, requestOf, timerRunsOut, trailOf, waiting } from "./approvals.ts";
import { manualItem, paidOrdersOf, publish, vmItem } from "./paid-orders.ts";
import { eventsAbout, holdBack, requests, storyOf } from "./stages.ts";

let house: House;
let admin: Person;
let customer: Person;
let orders: ReturnType<typeof paidOrdersOf>;
beforeAll(async () => {
  house = await openHouse();
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
  orders = paidOrdersOf(house, customer);
});
afterAll(() => house.close());

const cast = () => ({ house, customer, admin });
const statusOf = async (id: string) => (await requestOf(admin, id)).status;
const waits = "PENDING_APPROVAL";

/** The item of an order that a rule holds back on these terms. */
async function heldItem(terms: object = {}) {
  const { id: hold } = await holdBack(cast(), terms);
  return { ...manualItem("held"), metadata: { hold } };
}
/** An order of one item that waits, and its request. */
async function heldOrder(terms?: object) {
  const order = orders.paid([await heldItem(terms)]);
  await orders.tell(order);
  await orders.has(order, 1);
  const [request] = await orders.ofOrder(order);
  return { order, request };
}
/** Waits until everything that was told before has been handled: an order that is told now has its request. */
async function allIsHeard() {
  const later = orders.paid([manualItem("later")]);
  await orders.tell(later);
  await orders.has(later, 1);
}
/** Waits until an event has been handled. */
const isHeard = (eventId: string) =>
  eventually(
    async () => (await house.rows("SELECT 1 FROM applied_events WHERE eventId = ?", [eventId])).length > 0,
  );
const startedOnce = ["requested", "approval-requested", "approved", "started"];

describe("an order's request that a rule holds back", () => {
  test("waits, while the others of the order go on", async () => {
    const order = orders.paid([await heldItem(), vmItem("free")]);
    await orders.tell(order);
    await orders.has(order, 2);
    const found = await orders.ofOrder(order);
    const [held, free] = ["held", "free"].map((item) => found.find((each) => each.orderItemId === item));
    await house.until(customer, free.id, "ACTIVE");
    expect(await statusOf(held.id)).toBe(waits);
    expect(await approvalOf(customer, held.id)).toMatchObject({ status: "PENDING", decisions: [] });
  });

  test("starts by itself once it is approved by all who must", async () => {
    const { request } = await heldOrder({ minApprovals: 2 });
    expect(request.status).toBe(waits);
    await decide(admin, "approve", request.id);
    await allIsHeard();
    expect(await statusOf(request.id)).toBe(waits);
    const { headers } = await decide(await house.staff("OPS"), "approve", request.id, {});
    await house.until(customer, request.id, "AWAITING_MANUAL");
    expect(await storyOf(house, request.id)).toEqual(startedOnce);
    expect((await trailOf(admin, request.id)).at(-1)).toMatchObject({
      actor: { id: "provisioning", kind: "system" },
      ...{ command: "start", from: "PENDING" },
    });
    const [approved, started] = (await eventsAbout(house, request.id)).slice(-2);
    expect([started.causationId, started.correlationId]).toEqual([
      approved.eventId,
      headers.get("x-request-id"),
    ]);
  });

  test("starts by itself when nobody has decided and its rule lets it go on", async () => {
    const { request } = await heldOrder({ expiresInHours: 0.00001, onExpiry: "APPROVE" });
    await timerRunsOut(house, request.id);
    await house.until(customer, request.id, "AWAITING_MANUAL");
    expect(await storyOf(house, request.id)).toEqual(startedOnce);
    expect((await approvalOf(admin, request.id)).status).toBe("EXPIRED");
  });

  test("never starts when it is rejected, or nobody has decided in time", async () => {
    const { request: rejected } = await heldOrder();
    const { request: expired } = await heldOrder({ expiresInHours: 0.00001 });
    await decide(admin, "reject", rejected.id);
    await timerRunsOut(house, expired.id);
    await allIsHeard();
    for (const { id } of [rejected, expired])
      expect(await storyOf(house, id)).toEqual(["requested", "approval-requested", "rejected"]);
  });

  test("is made once and asked for once, however often the order is told of", async () => {
    const { order, request } = await heldOrder();
    await orders.tell(order, 2);
    await orders.tell({ ...order, eventId: house.world.newId() });
    await allIsHeard();
    expect((await orders.ofOrder(order)).map(({ id }) => id)).toEqual([request.id]);
    await decide(admin, "approve", request.id);
    await house.until(customer, request.id, "AWAITING_MANUAL");
    expect(await storyOf(house, request.id)).toEqual(startedOnce);
  });

  test("starts once, however often the approval is told of, and not again later", async () => {
    const { request } = await heldOrder();
    await decide(admin, "approve", request.id);
    await house.until(customer, request.id, "AWAITING_MANUAL");
    const envelope = (await eventsAbout(house, request.id)).find(({ name }) => name === "approved");
    const again = async () => {
      await publish(house, envelope, 2);
      const further = { ...envelope, eventId: house.world.newId() };
      await publish(house, further);
      await isHeard(further.eventId);
    };
    await again();
    expect((await trailOf(admin, request.id)).map(({ command }) => command)).toEqual([
      ...["create", "approve", "start"],
    ]);
    await customer.call("DELETE", `${requests}/${request.id}`);
    await again();
    expect(await statusOf(request.id)).toBe("DEPROVISIONED");
    expect(await house.rows("SELECT id FROM dead_letters")).toEqual([]);
  });

  test("does not come back when the customer has deleted it", async () => {
    const { order, request } = await heldOrder();
    await customer.call("DELETE", `${requests}/${request.id}`);
    await orders.tell({ ...order, eventId: house.world.newId() });
    await allIsHeard();
    expect((await orders.ofOrder(order)).map(({ status }) => status)).toEqual(["DEPROVISIONED"]);
    expect((await decide(admin, "approve", request.id)).status).toBe(409);
  });

  test("can be decided by everybody but the service that has made it", async () => {
    const { request } = await heldOrder();
    const service = await house.service(admin);
    expect((await decide(service, "approve", request.id, { adminId: request.createdBy })).status).toBe(403);
    expect((await decide(admin, "approve", request.id)).status).toBe(200);
  });
});

describe("a request that was made over the API", () => {
  test("waits for its start after it is approved", async () => {
    const { id } = await waiting(cast());
    await decide(admin, "approve", id);
    await isHeard((await eventsAbout(house, id)).at(-1).eventId);
    expect(await statusOf(id)).toBe("PENDING");
    expect((await admin.call("POST", `${requests}/${id}/start`)).data.status).toBe("PROVISIONING");
  });
});
