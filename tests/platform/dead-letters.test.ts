import { describe, expect, test } from "bun:test";
import { streamOf } from "../../streams/topics.ts";
import { openHouse } from "../house.ts";
import { eventually } from "../streams/bus.ts";

describe("an event that a service cannot take", () => {
  test("is kept as one dead letter after its last retry, told on the topic's dead-letter stream, and no longer pending", async () => {
    await using house = await openHouse();
    const { world } = house;
    const topic = streamOf(world.platform, "order.provisioning-started");
    const eventId = world.newId();
    // The API would refuse such a machine.
    const item = { id: "item-1", productId: "vm", resourceType: "VM", specification: { vcpu: -5 } };
    const poison = {
      ...{ eventId, type: topic, version: 1, occurredAt: world.now().toISOString(), source: "orders" },
      ...{ correlationId: "checkout-1", causationId: null, tenantId: "t", subject: "order-1", sequence: 1 },
      data: { orderId: "order-1", status: "PROVISIONING", items: [item], total: 1, currency: "EUR" },
    };
    await world.pool.query(
      "INSERT INTO outbox_events (eventId, topic, correlationId, createdAt, envelope) VALUES (?, ?, ?, ?, ?)",
      [eventId, topic, "checkout-1", world.now(), JSON.stringify(poison)],
    );
    world.waker.wake("relay");

    // Critical: 0.5, 1, 2, 4 and 8 s.
    await eventually(async () => (await world.redis.exists(`${topic}.dlq`)) === 1, 25_000);
    const letters = await house.rows("SELECT * FROM dead_letters");
    expect(letters).toHaveLength(1);
    expect(letters[0]).toMatchObject({
      attempts: 6,
      status: "DEAD",
      eventId,
      envelope: JSON.stringify(poison),
    });
    expect([letters[0].topic, letters[0].group].map(String)).toEqual([topic, "provisioning"]);
    expect(letters[0].lastFailedAt - letters[0].firstFailedAt).toBeGreaterThanOrEqual(15_000);

    const entries = await world.redis.xrange(`${topic}.dlq`, "-", "+");
    expect(entries).toHaveLength(1);
    expect(JSON.parse(entries[0]?.[1][1] ?? "")).toEqual({
      ...poison,
      deadLetter: {
        group: "provisioning",
        attempts: 6,
        firstFailedAt: letters[0].firstFailedAt.toISOString(),
        lastFailedAt: letters[0].lastFailedAt.toISOString(),
        error: letters[0].error,
      },
    });
    await eventually(async () => (await world.redis.xpending(topic, "provisioning"))[0] === 0);
    expect(await house.rows("SELECT id FROM provisioning_requests")).toEqual([]);
  }, 40_000);
});
