import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { expectProblem } from "../http/answers.ts";
import { approvalOf, decide, decisionsOf, path, requestOf, trailOf, waiting } from "./approvals.ts";
import { setQuota, usageOf } from "./quotas.ts";
import { backup, requests, storyOf } from "./stages.ts";

let house: House;
let admin: Person;
let customer: Person;
let ops: Person;
let finance: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
  [ops, finance] = await Promise.all([house.staff("OPS"), house.staff("FINANCE")]);
});
afterAll(() => house.close());

const wait = (terms?: object) => waiting({ house, customer, admin }, terms);

describe("where several must approve", () => {
  test("the last one that is needed lets the request go on", async () => {
    const { id } = await wait({ minApprovals: 3 });
    const staff = [admin, ops, finance];
    for (const [at, person] of staff.entries()) {
      const { data } = await decide(person, "approve", id, { comment: `${at}` });
      const last = at === 2;
      expect([data.status, data.decidedAt === null, data.version]).toEqual([
        last ? "APPROVED" : "PENDING",
        !last,
        at + 2,
      ]);
      const request = await requestOf(admin, id);
      expect([request.status, request.version]).toEqual([last ? "PENDING" : "PENDING_APPROVAL", at + 2]);
      expect((await storyOf(house, id)).slice(2)).toEqual(last ? ["approved"] : []);
    }
    expect((await trailOf(admin, id)).slice(1)).toEqual(
      staff.map((person, at) => ({
        actor: { id: person.id, kind: "user" },
        ...{ command: "approve", from: "PENDING_APPROVAL", to: at === 2 ? "PENDING" : "PENDING_APPROVAL" },
        detail: { adminId: person.id, comment: `${at}` },
      })),
    );
  });

  test.each([2, 5])("%d are needed, and each counts once", async (minApprovals) => {
    const { id } = await wait({ minApprovals });
    const service = await house.service(admin);
    const people = Array.from({ length: minApprovals }, (_, i) => `person-${i}`);
    for (const adminId of people) {
      expect((await requestOf(admin, id)).status).toBe("PENDING_APPROVAL");
      expect((await decide(service, "approve", id, { adminId })).status).toBe(200);
      for (const verb of ["approve", "reject"] as const)
        expectProblem(await decide(service, verb, id, { adminId }), "already_decided");
    }
    expect((await requestOf(admin, id)).status).toBe("PENDING");
    expect(decisionsOf(await approvalOf(admin, id))).toEqual(people.map((person) => [person, "APPROVED"]));
  });

  test("a single rejection ends it", async () => {
    const { id } = await wait({ minApprovals: 5 });
    await decide(admin, "approve", id);
    const { data } = await decide(ops, "reject", id);
    expect([data.status, decisionsOf(data)]).toEqual([
      "REJECTED",
      [
        [admin.id, "APPROVED"],
        [ops.id, "REJECTED"],
      ],
    ]);
    expect((await requestOf(admin, id)).status).toBe("REJECTED");
    expectProblem(await decide(admin, "approve", id), "already_decided");
    expectProblem(await decide(finance, "approve", id), "invalid_transition", {
      ...{ from: "REJECTED", command: "approve", allowed: ["delete"] },
    });
  });
});

describe("the quota of a request that waits", () => {
  const held = async () => (await usageOf(admin, customer.tenantId, "BACKUP")).used.instances as number;

  test("is given back when it is rejected, once, and kept when it is approved", async () => {
    const before = await held();
    const [one, other] = [await wait({ minApprovals: 2 }), await wait()];
    await decide(admin, "approve", one.id);
    await decide(admin, "approve", other.id);
    expect(await held()).toBe(before + 2);
    await decide(ops, "reject", one.id);
    expect(await held()).toBe(before + 1);
    expect((await customer.call("DELETE", `${requests}/${one.id}`)).status).toBe(200);
    expect(await held()).toBe(before + 1);
  });

  test("is free for the next at once", async () => {
    const limits = { maxInstances: (await held()) + 1 };
    const { id: quota } = await setQuota(admin, customer.tenantId, limits, "BACKUP");
    const { id } = await wait();
    expect((await customer.call("POST", requests, backup(customer.tenantId))).status).toBe(422);
    await decide(admin, "reject", id);
    expect((await customer.call("POST", requests, backup(customer.tenantId))).status).toBe(201);
    await admin.call("DELETE", `/api/quotas/${quota}`);
  });
});

describe("an approval", () => {
  test("keeps its rule's terms when the rule is changed or deleted", async () => {
    const { id } = await wait({ minApprovals: 2, expiresInHours: 48, onExpiry: "APPROVE" });
    const before = await approvalOf(admin, id);
    const rule = `${path}/rules/${before.ruleId}`;
    const condition = { any: [], approval: { minApprovals: 1 } };
    const changes = { name: "Renamed", status: "INACTIVE", priority: 7, condition };
    expect((await admin.call("PATCH", rule, changes)).status).toBe(200);
    expect(await approvalOf(admin, id)).toEqual(before);
    expect((await admin.call("DELETE", rule)).status).toBe(200);
    expect(await approvalOf(admin, id)).toEqual(before);
    expect((await decide(admin, "approve", id)).data.status).toBe("PENDING");
    expect((await decide(ops, "approve", id)).data).toMatchObject({
      status: "APPROVED",
      ruleName: "Held back",
    });
  });

  test("is told by events as every change of a request is", async () => {
    const { id } = await wait();
    await decide(admin, "approve", id, { comment: "for your eyes" });
    const [event] = await house.events("provisioning.approved", id, 1);
    expect(event).toMatchObject({ tenantId: customer.tenantId, subject: id, sequence: 2 });
    expect(event.data).toEqual({
      ...{ requestId: id, orderId: "order-1", orderItemId: "item-1", resourceType: "BACKUP" },
      ...{ status: "PENDING", clusterId: null },
    });
  });
});
