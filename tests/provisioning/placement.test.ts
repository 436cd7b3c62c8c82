import { expect, test } from "bun:test";
import { seedCluster } from "../../src/seed.ts";
import { openHouse, vm } from "../house.ts";
import { requests } from "./stages.ts";

test("a request that found no cluster is placed when it starts, and then driven", async () => {
  await using house = await openHouse({ samples: false });
  const [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
  const create = async (region?: string) => {
    const body = vm(customer.tenantId, { simulate: { stepMs: 1 } });
    const specification = { ...body.specification, ...(region ? { region } : {}) };
    return (await customer.call("POST", requests, { ...body, specification })).data;
  };
  const start = async (id: string) => (await admin.call("POST", `${requests}/${id}/start`)).data;
  const [early, waiting, elsewhere] = [await create(), await create(), await create("moon")];
  expect([early.clusterId, elsewhere.clusterId]).toEqual([null, null]);
  await start(early.id);

  await seedCluster(house.program.landfall);
  const [{ id: clusterId }] = await house.rows("SELECT id FROM clusters");
  expect((await start(waiting.id)).clusterId).toBe(clusterId);
  await house.until(customer, waiting.id, "ACTIVE");
  // No cluster has its region: it stays with the API, as one does that has begun without a cluster.
  expect((await start(elsewhere.id)).clusterId).toBeNull();
  for (const { id } of [early, elsewhere]) {
    const { data } = await admin.call("POST", `${requests}/${id}/advance`);
    expect([data.clusterId, data.status, data.currentStep]).toEqual([null, "PROVISIONING", "CONFIGURE"]);
  }
});
