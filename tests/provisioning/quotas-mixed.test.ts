import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import {
  at,
  byApi,
  byHand,
  driven,
  expectBooks,
  fault,
  newTenant,
  none,
  setQuota,
  usageOf,
} from "./quotas.ts";
import { requests } from "./stages.ts";

/* Two programs on one database, both with workers. */
let house: House;
let second: House;
let admin: Person;
beforeAll(async () => {
  house = await openHouse();
  second = await openHouse({ config: house.program.landfall.config, samples: false });
  admin = await house.admin();
});
afterAll(async () => {
  await second.program.stop();
  await house.close();
});

const held = async (tenantId: string, type = "VM") => (await usageOf(admin, tenantId, type)).used;

describe("creates, starts, failures, retries and deletes of many callers at once", () => {
  const simulations = [{}, { failAt: "CONFIGURE", failTimes: 1 }, { failAt: "VERIFY", undoFails: true }];
  const commands = [
    "start",
    "advance",
    "fail",
    "suspend",
    "retry",
    "delete",
    "reactivate",
    "manual-complete",
  ];
  const expected = [200, 201, 202, "invalid_transition", "quota_exceeded", "retry_limit"];

  test("leave the sums right at every moment, while the drivers work", async () => {
    const tenants = Array.from({ length: 3 }, newTenant);
    for (const tenantId of tenants) await setQuota(admin, tenantId, { maxInstances: 6, maxVcpu: 14 });
    const ids: string[] = [];
    const seen = new Set<unknown>();
    const caller = async (lane: number) => {
      const call = lane % 2 ? admin.call : at(second, admin);
      for (let i = 0; i < 30; i++) {
        const chosen = (lane * 31 + i * 17) % 97;
        const tenantId = tenants[chosen % 3] as string;
        const id = ids[chosen % Math.max(ids.length, 1)];
        const command = commands[(lane + i) % commands.length] as string;
        const bodies = [driven(tenantId, simulations[i % 3]), byApi(tenantId), byHand(tenantId)];
        const creates = i % 3 === 0 || !id;
        const answer = creates
          ? await call("POST", requests, bodies[(lane + i) % 3])
          : command === "delete"
            ? await call("DELETE", `${requests}/${id}`)
            : await call("POST", `${requests}/${id}/${command}`, command === "fail" ? fault : undefined);
        if (answer.status === 201) ids.push(answer.data.id);
        seen.add(answer.body.code ?? answer.status);
      }
    };
    let going = true;
    const watch = async () => {
      while (going) await expectBooks(house);
    };
    const [cluster] = await house.rows("SELECT id FROM clusters");
    const patch = async () => {
      for (let i = 0; i < 20; i++)
        await admin.call("PATCH", `/api/clusters/${cluster.id}`, { capacity: { vcpu: 1000 + i } });
    };
    const work = async () => {
      await Promise.all([patch(), ...Array.from({ length: 12 }, (_, lane) => caller(lane))]);
      await atRest(tenants);
    };
    const both = [watch(), work().finally(() => (going = false))];
    await Promise.allSettled(both);
    await Promise.all(both);
    expect([...seen].filter((code) => !expected.includes(code as never))).toEqual([]);
    for (const code of [200, 201, "invalid_transition", "quota_exceeded"]) expect(seen).toContain(code);
    await expectBooks(house);
    for (const tenantId of tenants) {
      const { instances, vcpu } = await held(tenantId);
      expect(instances <= 6 && vcpu <= 14).toBe(true);
    }

    // And when all is gone, nothing is held.
    await Promise.all(ids.map((id) => admin.call("DELETE", `${requests}/${id}`)));
    await atRest(tenants);
    for (const tenantId of tenants)
      expect([await held(tenantId), await held(tenantId, "MANUAL")]).toEqual([none, none]);
    await expectBooks(house);
  });
});

/** Waits until the drivers have done what is wanted of these tenants' requests. */
async function atRest(tenants: string[]): Promise<void> {
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; await Bun.sleep(10)) {
    const [{ busy }] = await house.rows(
      `SELECT COUNT(*) AS busy FROM provisioning_requests WHERE tenantId IN (?)
          AND (status IN ('ROLLING_BACK', 'DEPROVISIONING') OR (status = 'PROVISIONING' AND clusterType IS NOT NULL))`,
      [tenants],
    );
    if (busy === 0) return;
  }
  throw new Error("The drivers do not come to rest.");
}
