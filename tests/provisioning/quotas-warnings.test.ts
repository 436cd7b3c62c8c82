import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { quota } from "../../actors/provisioning/quota.ts";
import { request } from "../../actors/provisioning/request.ts";
import type { QuotaLimits } from "../../schema/provisioning/quota.ts";
import { startLandfall } from "../../src/start.ts";
import { ending, origin } from "../actors/account.ts";
import { stateOf } from "../actors/bank.ts";
import { type House, houseOf, type Person } from "../house.ts";
import { eventually } from "../streams/bus.ts";
import {
  at,
  createMany,
  machine,
  newTenant,
  openIdleHouse,
  path,
  setQuota,
  usageOf,
  warningsOf,
} from "./quotas.ts";
import { requests } from "./stages.ts";

/* Two programs that do nothing later, so that the warnings that were ordered can be counted. */
let house: House;
let second: House;
let admin: Person;
beforeAll(async () => {
  house = await openIdleHouse();
  second = houseOf(await startLandfall(house.program.landfall.config, { roles: ["web"] }));
  admin = await house.admin();
});
afterAll(async () => {
  await second.program.stop();
  await house.close();
});

const create = async (tenantId: string, vcpu = 1) => {
  const answer = await admin.call("POST", requests, machine(tenantId, { vcpu, region: "moon" }));
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.data.id as string;
};
const send = (id: string, command: string, body?: object) =>
  admin.call("POST", `${requests}/${id}/${command}`, body);
const fault = { code: "NO_CAPACITY", message: "The rack is full." };
const remove = (id: string) => admin.call("DELETE", `${requests}/${id}`);
/** What was warned of, as `<limit> <used>/<limit>`. */
const warned = async (tenantId: string) =>
  (await warningsOf(house, tenantId)).map(({ dimension, used, limit }) => `${dimension} ${used}/${limit}`);

describe("a warning is ordered", () => {
  test("when a create reaches the level, with what is used of which limit, and not while it stays there", async () => {
    const tenantId = newTenant();
    await setQuota(admin, tenantId, { maxVcpu: 10 });
    await create(tenantId, 7);
    expect(await warningsOf(house, tenantId)).toEqual([]);
    await create(tenantId);
    const warning = { tenantId, resourceType: "VM", dimension: "maxVcpu", limit: 10, used: 8, percent: 80 };
    for (const more of [1, 1]) {
      expect(await warningsOf(house, tenantId)).toEqual([warning]);
      await create(tenantId, more);
    }
    expect((await usageOf(admin, tenantId)).percent.vcpu).toBe(100);
    expect(await warned(tenantId)).toEqual(["maxVcpu 8/10"]);
  });

  test("again after the use was below the level, whichever way it went there", async () => {
    const tenantId = newTenant();
    await setQuota(admin, tenantId, { maxInstances: 2, warnPercent: 100 });
    await create(tenantId);
    const ways: Record<string, (id: string) => Promise<unknown>> = {
      delete: remove,
      fail: async (id) => {
        await send(id, "start");
        await send(id, "fail", fault);
      },
    };
    for (const [i, way] of Object.values(ways).entries()) {
      const id = await create(tenantId);
      expect(await warned(tenantId)).toEqual(Array(i + 1).fill("maxInstances 2/2"));
      await way(id);
    }
    const id = await create(tenantId);
    await send(id, "start");
    await send(id, "fail", fault);
    await send(id, "retry");
    expect(await warned(tenantId)).toEqual(Array(4).fill("maxInstances 2/2"));
  });

  test("by a limit that is lowered, made after the use, or whose level is lowered; once each", async () => {
    const tenantId = newTenant();
    await create(tenantId, 6);
    const steps: [limits: object, warned: string[]][] = [
      [{ maxVcpu: 100 }, []],
      [{ maxVcpu: 7 }, ["maxVcpu 6/7"]],
      [{ maxVcpu: 6 }, []],
      [{ maxVcpu: 5 }, []],
      [{ maxVcpu: 100 }, []],
      [{ maxVcpu: 10, warnPercent: 60 }, ["maxVcpu 6/10"]],
      [{ maxVcpu: 10, warnPercent: 61 }, []],
      [{ maxVcpu: 10, warnPercent: 60 }, ["maxVcpu 6/10"]],
      [{ maxVcpu: -1 }, []],
      [{ maxVcpu: 0, maxInstances: 1 }, ["maxInstances 1/1", "maxVcpu 6/0"]],
      [{ maxNetworks: 0 }, []],
    ];
    const all: string[] = [];
    for (const [limits, more] of steps) {
      await setQuota(admin, tenantId, limits);
      all.push(...more);
      expect([limits, await warned(tenantId)]).toEqual([limits, all]);
    }
    const { id } = await setQuota(admin, tenantId, { maxVcpu: 6 });
    await admin.call("DELETE", `${path}/${id}`);
    await setQuota(admin, tenantId, { maxVcpu: 6 });
    expect(await warned(tenantId)).toEqual([...all, "maxVcpu 6/6", "maxVcpu 6/6"]);
  });

  test("for what is refused never", async () => {
    const tenantId = newTenant();
    await setQuota(admin, tenantId, { maxVcpu: 10, maxInstances: 1, warnPercent: 50 });
    expect((await admin.call("POST", requests, machine(tenantId, { vcpu: 11 }))).status).toBe(422);
    expect(await warned(tenantId)).toEqual([]);
  });

  for (const counter of ["that has used something", "that has never had a request"])
    test(`once for each limit by 200 creates at once, through two programs, for a tenant ${counter}`, async () => {
      const tenantId = newTenant();
      if (counter === "that has used something") await remove(await create(tenantId));
      await setQuota(admin, tenantId, {
        maxInstances: 50,
        maxVcpu: 200,
        maxMemoryMb: -1,
        maxStorageGb: 2000,
      });
      const doors = [admin.call, at(second, admin)];
      const answers = await createMany(200, machine(tenantId, { region: "moon" }), doors);
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(50);
      expect(await warned(tenantId)).toEqual(["maxInstances 40/50"]);
    });

  test("by what comes after a limit was set, in one commit with it as well", async () => {
    const { mailbox } = house.program.landfall;
    const tenantId = newTenant();
    const counted = { tenantId, resourceType: "VM" as const };
    const order = () => ending(mailbox.send(request.create, { input: machine(tenantId) as never, origin }));
    const set = (limits: QuotaLimits) =>
      mailbox.send(quota.create, { input: { ...counted, limits }, origin });
    const [made, ...endings] = await Promise.all([
      set({ maxInstances: 5, warnPercent: 80 }),
      ...Array.from({ length: 6 }, order),
    ]);
    expect(endings).toEqual([...Array(5).fill("accepted"), "quota_exceeded"]);
    expect(await warned(tenantId)).toEqual(["maxInstances 4/5"]);
    const { id } = stateOf(made);
    const replace = (limits: QuotaLimits) => mailbox.send(quota.replace, { id, input: { limits }, origin });
    const further = await Promise.all([
      replace({ maxInstances: 7, warnPercent: 80 }),
      ...[order(), order(), order()],
      mailbox.send(quota.delete, { id, input: {}, origin }),
      order(),
    ]);
    expect(further.filter((end) => typeof end === "string")).toEqual([
      ...["accepted", "accepted", "quota_exceeded", "accepted"],
    ]);
    expect(await warned(tenantId)).toEqual(["maxInstances 4/5", "maxInstances 6/7"]);
  });

  test("once by a limit that is set while requests are made, whatever comes first", async () => {
    for (let round = 0; round < 12; round++) {
      const tenantId = newTenant();
      const first = round % 2 ? await create(tenantId) : null;
      const doors = round % 3 ? [admin.call] : [admin.call, at(second, admin)];
      await Promise.all([
        createMany(4, machine(tenantId, { region: "moon" }), doors),
        setQuota(admin, tenantId, { maxInstances: 5, warnPercent: first ? 100 : 80 }),
        createMany(4, machine(tenantId, { region: "moon" }), doors),
      ]);
      const { used } = await usageOf(admin, tenantId);
      expect(used.instances).toBeGreaterThanOrEqual(5 - Number(!first));
      expect([round, (await warned(tenantId)).length]).toEqual([round, 1]);
    }
  });
});

test("a warning is written to the log, once", async () => {
  const tenantId = newTenant();
  const worker = await startLandfall(house.program.landfall.config, { roles: ["worker"] });
  const lines: [string, any][] = [];
  worker.landfall.world.log.warn = (...line) => lines.push(line as never);
  try {
    await setQuota(admin, tenantId, { maxInstances: 1 });
    const headers = { "X-Correlation-ID": `c-${tenantId}` };
    await admin.call("POST", requests, machine(tenantId), headers);
    const own = () => lines.filter(([, fields]) => fields?.tenantId === tenantId);
    await eventually(async () => own().length > 0 && (await warningsOf(house, tenantId)).length === 0);
    const fields = {
      tenantId,
      resourceType: "VM",
      dimension: "maxInstances",
      limit: 1,
      used: 1,
      percent: 100,
    };
    expect(own()).toEqual([["quota nearly used up", { ...fields, correlationId: `c-${tenantId}` }]]);
  } finally {
    await worker.stop();
  }
});
