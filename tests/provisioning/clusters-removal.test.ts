import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { expectProblem } from "../http/answers.ts";
import { order, path, register } from "./clusters.ts";
import { requests } from "./stages.ts";

/* Two programs on one database. */
let house: House;
let second: House;
let admin: Person;
let customer: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  second = await openHouse({ config: house.program.landfall.config, samples: false });
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
});
afterAll(async () => {
  await second.program.stop();
  await house.close();
});

const remove = (id: string) => admin.call("DELETE", `${path}/${id}`);
const get = async (id: string) => (await customer.call("GET", `${requests}/${id}`)).data;
const send = (id: string, command: string, body?: object) =>
  admin.call("POST", `${requests}/${id}/${command}`, body);
/** A cluster in a region of its own, so that what is ordered there is placed on it. */
const alone = async (region: string) => (await register(admin, { region })).id as string;

describe("removing a cluster", () => {
  test("is refused while there are requests on it, and says how many", async () => {
    const id = await alone("busy");
    const ordered = [
      await order(customer, "busy"),
      await order(customer, "busy"),
      await order(customer, "busy"),
    ];
    expect(ordered.map(({ clusterId }) => clusterId)).toEqual([id, id, id]);
    for (let left = 3; left > 0; left--) {
      expectProblem(await remove(id), "in_use", { count: left });
      await customer.call("DELETE", `${requests}/${ordered[left - 1].id}`);
    }
    expect((await remove(id)).data).toEqual({ id, deleted: true });
    for (const { id: request } of ordered) expect((await get(request)).clusterId).toBe(id);
  });

  test("is refused for one that failed, whose retry would come back to it", async () => {
    const id = await alone("failing");
    const { id: request } = await order(customer, "failing");
    await send(request, "start");
    await send(request, "fail", { code: "NO_CAPACITY", message: "The rack is full." });
    expect((await get(request)).status).toBe("FAILED");
    expectProblem(await remove(id), "in_use", { count: 1 });
    await customer.call("DELETE", `${requests}/${request}`);
    expect((await remove(id)).status).toBe(200);
  });

  test("passes over rejected ones", async () => {
    const id = await alone("rejecting");
    const { id: request } = await order(customer, "rejecting");
    await customer.call("DELETE", `${requests}/${request}`);
    await house.world.pool.query("UPDATE provisioning_requests SET status = 'REJECTED' WHERE id = ?", [
      request,
    ]);
    expect((await remove(id)).status).toBe(200);
  });

  test("at the moment of an order, here or in another program, leaves none on what is gone", async () => {
    const orderer = await second.admin();
    for (let i = 0; i < 12; i++) {
      const region = `race-${i}`;
      const id = await alone(region);
      const [removed, ordered] = await Promise.all([
        remove(id),
        order({ ...(i % 2 ? customer : orderer), tenantId: customer.tenantId }, region),
      ]);
      const placed = (await get(ordered.id)).clusterId === id;
      expect(removed.status).toBe(placed ? 409 : 200);
    }
  });
});

describe("draining a cluster", () => {
  test("keeps what it has, and takes nothing new", async () => {
    const id = await alone("drained");
    const before = await order(customer, "drained");
    const { data } = await admin.call("PATCH", `${path}/${id}`, { provisioningEnabled: false });
    expect(data.used.instances).toBe(1);
    expect((await order(customer, "drained")).clusterId).toBeNull();
    await send(before.id, "start");
    for (let step = 0; step < 4; step++) await send(before.id, "advance");
    expect(await get(before.id)).toMatchObject({ clusterId: id, status: "ACTIVE" });

    await admin.call("PATCH", `${path}/${id}`, { provisioningEnabled: true });
    expect((await order(customer, "drained")).clusterId).toBe(id);
  });
});
