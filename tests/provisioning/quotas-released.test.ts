import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ResourceType } from "../../schema/provisioning/specification.ts";
import { type Answer, type House, openHouse, type Person } from "../house.ts";
import { expectProblem } from "../http/answers.ts";
import {
  at,
  byApi,
  byHand,
  driven,
  expectBooks,
  fault,
  machine,
  newTenant,
  none,
  setQuota,
  usageOf,
} from "./quotas.ts";
import { requests } from "./stages.ts";

let house: House;
let second: House;
let admin: Person;
let service: Person;
beforeAll(async () => {
  house = await openHouse();
  second = await openHouse({ config: house.program.landfall.config, samples: false });
  admin = await house.admin();
  service = await house.service(admin);
});
afterAll(async () => {
  await second.program.stop();
  await house.close();
});

/** Creates a request and sends it commands; its id. */
async function bring(body: object, ...commands: string[]): Promise<string> {
  let answer = await admin.call("POST", requests, body);
  for (const command of commands) answer = await send(answer.data.id, command);
  return answer.data.id;
}
async function send(id: string, command: string, call = admin.call): Promise<Answer> {
  const answer =
    command === "delete"
      ? await call("DELETE", `${requests}/${id}`)
      : await call("POST", `${requests}/${id}/${command}`, command === "fail" ? fault : undefined);
  if (answer.status >= 300) throw new Error(`${command}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}
const until = async (id: string, ...statuses: string[]) => {
  for (const status of statuses) await house.until(admin, id, status);
  return id;
};
const held = async (tenantId: string, type: ResourceType = "VM") =>
  (await usageOf(admin, tenantId, type)).used;

const one = { ...none, instances: 1, vcpu: 2, memoryMb: 1024, storageGb: 10 };
const soon = { expiresInHours: 1e-6 };
/** Of a tenant whose requests wait for somebody's decision. */
async function withRule(tenantId: string, approval: object = {}) {
  const condition = { field: "resourceType", operator: "eq", value: "VM", approval };
  const rule = { name: "All", condition, tenantId };
  expect((await admin.call("POST", "/api/approvals/rules", rule)).status).toBe(201);
  const { data } = await service.call("POST", requests, machine(tenantId));
  expect(data.status).toBe("PENDING_APPROVAL");
  return data.id as string;
}
const decide = async (id: string, decision: string) => {
  const answer = await admin.call("POST", `/api/approvals/${id}/${decision}`, { adminId: admin.id });
  expect(answer.status).toBe(200);
};
const advances = Array(4).fill("advance");

describe("what a request holds", () => {
  const kept: Record<string, (tenantId: string) => Promise<unknown>> = {
    "while it waits for a decision": withRule,
    "once it is approved": async (tenantId) => decide(await withRule(tenantId), "approve"),
    "once nobody has decided in time, where that is an approval": async (tenantId) =>
      until(await withRule(tenantId, { ...soon, onExpiry: "APPROVE" }), "PENDING"),
    "while it is PENDING": (tenantId) => bring(driven(tenantId)),
    "while a step runs": (tenantId) => bring(driven(tenantId, { hangAt: "CONFIGURE" }), "start"),
    "while it is ACTIVE": async (tenantId) => until(await bring(driven(tenantId), "start"), "ACTIVE"),
    "while it is suspended, and after": async (tenantId) => {
      const id = await until(await bring(driven(tenantId), "start"), "ACTIVE");
      await send(id, "suspend");
      expect(await held(tenantId)).toEqual(one);
      await send(id, "reactivate");
    },
    "after a retry": async (tenantId) => {
      const body = driven(tenantId, { failAt: "ACTIVATE", failTimes: 1 });
      const id = await until(await bring(body, "start"), "FAILED");
      expect(await held(tenantId)).toEqual(none);
      await send(id, "retry");
      await until(id, "ACTIVE");
    },
    "through the API, to ACTIVE and after a retry": (tenantId) =>
      bring(byApi(tenantId), "start", "fail", "retry", ...advances),
  };
  test.each(Object.entries(kept))("is counted %s", async (_, act) => {
    const tenantId = newTenant();
    await act(tenantId);
    expect(await held(tenantId)).toEqual(one);
    await expectBooks(house);
  });

  const ended: Record<string, (tenantId: string) => Promise<unknown>> = {
    "a rejection": async (tenantId) => {
      const id = await withRule(tenantId);
      await decide(id, "reject");
      expect(await held(tenantId)).toEqual(one);
      await send(id, "delete");
    },
    "the end of the time to decide": async (tenantId) => until(await withRule(tenantId, soon), "REJECTED"),
    "a delete while it waits for a decision": async (tenantId) => send(await withRule(tenantId), "delete"),
    "a delete of a PENDING one": (tenantId) => bring(driven(tenantId), "delete"),
    "a failure told through the API": (tenantId) => bring(byApi(tenantId), "start", "advance", "fail"),
    "a failure, and a delete after it": (tenantId) => bring(byApi(tenantId), "start", "fail", "delete"),
    "a failure that the driver has undone": async (tenantId) => {
      const id = await until(await bring(driven(tenantId, { failAt: "VERIFY" }), "start"), "FAILED");
      expect(await held(tenantId)).toEqual(one);
      await until((await send(id, "delete")).data.id, "DEPROVISIONED");
    },
    "a failure told through the API, undone by the driver": async (tenantId) =>
      until(await bring(driven(tenantId, { hangAt: "CONFIGURE" }), "start", "fail"), "FAILED"),
    "a failure that can't be undone": async (tenantId) => {
      const body = driven(tenantId, { failAt: "VERIFY", undoFails: true });
      const id = await until(await bring(body, "start"), "ROLLBACK_FAILED");
      expect(await held(tenantId)).toEqual(one);
      await until((await send(id, "delete")).data.id, "DEPROVISIONED");
    },
    "a delete of an ACTIVE one, at its end": async (tenantId) => {
      const id = await until(await bring(driven(tenantId), "start"), "ACTIVE");
      await until((await send(id, "delete")).data.id, "DEPROVISIONED");
    },
    "a delete of a SUSPENDED one": async (tenantId) => {
      const id = await until(await bring(driven(tenantId), "start"), "ACTIVE");
      await send(id, "suspend");
      await until((await send(id, "delete")).data.id, "DEPROVISIONED");
    },
    "a delete while a step runs, twice": async (tenantId) => {
      const id = await bring(driven(tenantId, { hangAt: "CONFIGURE" }), "start");
      await Promise.all([send(id, "delete"), send(id, "delete", at(second, admin))]);
      await until(id, "DEPROVISIONED");
    },
    "a delete of an ACTIVE one that no driver has made": (tenantId) =>
      bring(byApi(tenantId), "start", ...advances, "delete"),
    "a delete of an ACTIVE one that a person has made": (tenantId) =>
      bring(byHand(tenantId), "start", "manual-complete", "delete"),
    "a delete of one that waits for a person": (tenantId) => bring(byHand(tenantId), "start", "delete"),
    "a failure of one that waits for a person": (tenantId) => bring(byHand(tenantId), "start", "fail"),
  };
  test.each(Object.entries(ended))("is given back with %s, once", async (_, act) => {
    const tenantId = newTenant();
    // Something else of the tenant's, so that nothing is given back twice unseen.
    await bring(byApi(tenantId));
    await bring(byHand(tenantId));
    await act(tenantId);
    expect(await held(tenantId)).toEqual(one);
    expect(await held(tenantId, "MANUAL")).toEqual({ ...none, instances: 1 });
    await expectBooks(house);
  });
});

describe("POST /provisioning/requests/{id}/retry", () => {
  for (const [how, body, commands] of [
    ["the API", byApi, ["start", "fail"]],
    ["the driver", (tenantId: string) => driven(tenantId, { failAt: "CONFIGURE", failTimes: 1 }), ["start"]],
  ] as const)
    test(`is refused where the quota is full, and changes nothing, for one that ${how} has failed`, async () => {
      const tenantId = newTenant();
      await setQuota(admin, tenantId, { maxVcpu: 3 });
      const id = await until(await bring(body(tenantId), ...commands), "FAILED");
      const other = await bring(byApi(tenantId));
      const [before, audit] = await Promise.all([
        admin.call("GET", `${requests}/${id}`),
        admin.call("GET", `${requests}/${id}/audit`),
      ]);
      for (let times = 0; times < 2; times++)
        expectProblem(await admin.call("POST", `${requests}/${id}/retry`), "quota_exceeded", {
          ...{ dimension: "maxVcpu", limit: 3, used: 2, requested: 2 },
        });
      expect((await admin.call("GET", `${requests}/${id}`)).data).toEqual(before.data);
      expect((await admin.call("GET", `${requests}/${id}/audit`)).data).toEqual(audit.data);
      await send(other, "delete");
      expect((await send(id, "retry")).data.retryCount).toBe(1);
      expect(await held(tenantId)).toEqual(one);
      await expectBooks(house);
    });

  test("of many at once takes as many as fit, through two programs", async () => {
    const tenantId = newTenant();
    const ids = await Promise.all(Array.from({ length: 20 }, () => bring(byApi(tenantId), "start", "fail")));
    await setQuota(admin, tenantId, { maxInstances: 7 });
    const answers = await Promise.all(
      // Each is retried twice.
      [...ids, ...ids].map((id, i) =>
        (i % 2 ? admin.call : at(second, admin))("POST", `${requests}/${id}/retry`),
      ),
    );
    const codes = answers.map(({ status, body }) => body.code ?? status);
    expect(codes.filter((code) => code === 200)).toHaveLength(7);
    expect(new Set(codes)).toEqual(new Set([200, "quota_exceeded", "invalid_transition"]));
    expect((await held(tenantId)).instances).toBe(7);
    await expectBooks(house);
  });
});
