import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { expectProblem } from "../http/answers.ts";
import {
  approvalOf,
  decide,
  everythingOf,
  path,
  requestOf,
  timerRunsOut,
  trailOf,
  waiting,
} from "./approvals.ts";
import { usageOf } from "./quotas.ts";
import { eventsAbout, requests } from "./stages.ts";

let house: House;
let admin: Person;
let customer: Person;
let ops: Person;
let aheadMs = 0;
const now = () => new Date(Date.now() + aheadMs);
beforeAll(async () => {
  house = await openHouse({ samples: false, now });
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
  ops = await house.staff("OPS");
});
afterAll(() => house.close());

/** 36 seconds. */
const soon = 0.01;
/** Lets the terms of `soon` run out. */
const passTime = () => {
  aheadMs += 37_000;
};
const wait = (terms: object) => waiting({ house, customer, admin }, terms);
const held = async () => (await usageOf(admin, customer.tenantId, "BACKUP")).used.instances as number;
const everything = (id: string) => everythingOf({ house, admin }, id);

describe("an approval that nobody gives in time", () => {
  const ends = [
    { onExpiry: undefined, to: "REJECTED", event: "rejected", gives: 1 },
    { onExpiry: "REJECT", to: "REJECTED", event: "rejected", gives: 1 },
    { onExpiry: "APPROVE", to: "PENDING", event: "approved", gives: 0 },
  ];
  test.each(ends)(
    "is EXPIRED, and its request $to where onExpiry is $onExpiry",
    async ({ onExpiry, to, event, gives }) => {
      const { id } = await wait({ expiresInHours: soon, ...(onExpiry ? { onExpiry } : {}) });
      const [before, used] = [await approvalOf(admin, id), await held()];
      passTime();
      await timerRunsOut(house, id);
      const request = await requestOf(customer, id);
      expect([request.status, request.version]).toEqual([to, 2]);
      const after = await approvalOf(customer, id);
      const end = request.updatedAt;
      expect(after).toEqual({ ...before, status: "EXPIRED", decidedAt: end, updatedAt: end, version: 2 });
      expect(after.decidedAt >= after.expiresAt).toBe(true);
      const events = await eventsAbout(house, id);
      expect(events.map(({ name }) => name)).toEqual(["requested", "approval-requested", event]);
      expect(new Set(events.map(({ correlationId }) => correlationId)).size).toBe(1);
      expect((await trailOf(customer, id)).slice(1)).toEqual([
        {
          actor: { id: "provisioning", kind: "system" },
          ...{ command: "expired", from: "PENDING_APPROVAL", to, detail: null },
        },
      ]);
      expect(await held()).toBe(used - gives);
      const { data } = await admin.call("GET", `${path}/pending?limit=100&sort=-createdAt`);
      expect(data.map((each: any) => each.provisioningRequestId)).not.toContain(id);
      const refused = { from: to, command: "approve", allowed: expect.any(Array) };
      expectProblem(await decide(admin, "approve", id), "invalid_transition", refused);
    },
  );

  test("says until when it waits, to the millisecond", async () => {
    for (const [expiresInHours, milliseconds] of [
      [0.5, 1_800_000],
      [36, 129_600_000],
      [2 / 3, 2_400_000],
      [87_600, 315_360_000_000],
    ] as const) {
      const { id } = await wait({ expiresInHours });
      const { requestedAt, expiresAt } = await approvalOf(admin, id);
      expect(Date.parse(expiresAt) - Date.parse(requestedAt)).toBe(milliseconds);
    }
  });

  test("waits until then, and no less", async () => {
    const long = await wait({ expiresInHours: 2 * soon });
    const short = await wait({ expiresInHours: soon });
    passTime();
    await timerRunsOut(house, short.id);
    expect((await approvalOf(admin, short.id)).status).toBe("EXPIRED");
    expect((await approvalOf(admin, long.id)).status).toBe("PENDING");
    passTime();
    await timerRunsOut(house, long.id);
    expect((await approvalOf(admin, long.id)).status).toBe("EXPIRED");
  });

  test("expires by itself, after a fraction of a second too", async () => {
    const { id } = await wait({ expiresInHours: 0.00001, onExpiry: "APPROVE" });
    await house.until(customer, id, "PENDING");
  });

  test("keeps what some have said by then", async () => {
    const { id } = await wait({ expiresInHours: soon, minApprovals: 3, onExpiry: "APPROVE" });
    await decide(admin, "approve", id);
    const { data } = await decide(ops, "approve", id);
    passTime();
    await timerRunsOut(house, id);
    const { status, decisions, version } = await approvalOf(admin, id);
    expect([status, decisions, version]).toEqual(["EXPIRED", data.decisions, 4]);
    expect((await requestOf(admin, id)).status).toBe("PENDING");
    expectProblem(await decide(admin, "approve", id), "already_decided");
  });

  test("expires as it was asked for, though its rule says otherwise by now, or is gone", async () => {
    const terms = { expiresInHours: soon, onExpiry: "APPROVE" };
    const [changed, orphan] = [await wait(terms), await wait(terms)];
    const ruleOf = async ({ id }: any) => `${path}/rules/${(await approvalOf(admin, id)).ruleId}`;
    const condition = { any: [], approval: { expiresInHours: 900, onExpiry: "REJECT" } };
    await admin.call("PATCH", await ruleOf(changed), { condition });
    await admin.call("DELETE", await ruleOf(orphan));
    passTime();
    for (const { id } of [changed, orphan]) {
      await timerRunsOut(house, id);
      expect((await requestOf(admin, id)).status).toBe("PENDING");
    }
  });
});

describe("the timer of a request that waits no more", () => {
  const decided: [string, (id: string) => Promise<unknown>][] = [
    ["approved", (id) => decide(admin, "approve", id)],
    ["rejected", (id) => decide(admin, "reject", id)],
    ["deleted", (id) => customer.call("DELETE", `${requests}/${id}`)],
    [
      "approved and started",
      async (id) => {
        await decide(admin, "approve", id);
        await admin.call("POST", `${requests}/${id}/start`);
      },
    ],
  ];
  test.each(decided)("does nothing where it was %s", async (_, end) => {
    for (const onExpiry of ["REJECT", "APPROVE"]) {
      const { id } = await wait({ expiresInHours: soon, onExpiry });
      await end(id);
      const before = await everything(id);
      passTime();
      await timerRunsOut(house, id);
      expect(await everything(id)).toEqual(before);
    }
  });
});

describe("a program that starts again", () => {
  test("ends what has run out meanwhile, once", async () => {
    const { config } = house.program.landfall;
    const { id } = await wait({ expiresInHours: soon });
    await house.program.stop();
    passTime();
    house = await openHouse({ config, samples: false, now });
    admin = await house.admin();
    await timerRunsOut(house, id);
    expect((await requestOf(admin, id)).status).toBe("REJECTED");
    expect((await trailOf(admin, id)).map(({ command }) => command)).toEqual(["create", "expired"]);
  });
});
