import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { request } from "../../actors/provisioning/request.ts";
import { originOf } from "../../actors/runtime/actor.ts";
import { type Answer, type House, openHouse, type Person } from "../house.ts";
import { expectProblem } from "../http/answers.ts";
import { approvalOf, decide, decisionsOf, requestOf, trailOf, waiting } from "./approvals.ts";
import { at, expectBooks, usageOf } from "./quotas.ts";
import { requests, storyOf } from "./stages.ts";

let house: House;
let second: House;
let admin: Person;
let customer: Person;
/** OPS, at another program. */
let ops: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  second = await openHouse({ config: house.program.landfall.config, samples: false });
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
  const person = await house.staff("OPS");
  ops = { ...person, call: at(second, person) };
});
afterAll(async () => {
  await second.program.stop();
  await house.close();
});

const wait = (terms?: object) => waiting({ house, customer, admin }, terms);
const rounds = Array.from({ length: 8 }, (_, round) => round);
const statuses = (answers: Answer[]) => answers.map(({ status }) => status).sort();
const held = async () => (await usageOf(admin, customer.tenantId, "BACKUP")).used.instances as number;

describe("decisions at once", () => {
  test("by two people both count, and let the request go on once", async () => {
    for (const _ of rounds) {
      const { id } = await wait({ minApprovals: 2 });
      const answers = await Promise.all([decide(admin, "approve", id), decide(ops, "approve", id)]);
      expect(answers.map(({ data }) => data.status).sort()).toEqual(["APPROVED", "PENDING"]);
      const { status, version, decisions } = await approvalOf(admin, id);
      expect([status, version, decisions.length]).toEqual(["APPROVED", 3, 2]);
      expect(await requestOf(admin, id)).toMatchObject({ status: "PENDING", version: 3 });
      expect(await storyOf(house, id)).toEqual(["requested", "approval-requested", "approved"]);
    }
  });

  test("by one person count once, at whichever program", async () => {
    const elsewhere = { ...admin, call: at(second, admin) };
    for (const _ of rounds) {
      const { id } = await wait({ minApprovals: 2 });
      const verbs = ["approve", "approve", "reject"] as const;
      const answers = await Promise.all(
        [admin, elsewhere].flatMap((person) => verbs.map((verb) => decide(person, verb, id))),
      );
      expect(statuses(answers)).toEqual([200, 409, 409, 409, 409, 409]);
      for (const answer of answers) if (answer.status === 409) expectProblem(answer, "already_decided");
      expect((await approvalOf(admin, id)).decisions).toHaveLength(1);
      expect((await requestOf(admin, id)).version).toBe(2);
    }
  });

  test("for and against: one of them wins, whole", async () => {
    for (const _ of rounds) {
      const { id } = await wait();
      const before = await held();
      const answers = await Promise.all([decide(admin, "approve", id), decide(ops, "reject", id)]);
      const [won, lost] = answers.toSorted((a, b) => a.status - b.status) as [Answer, Answer];
      const to = won.data.status === "APPROVED" ? "PENDING" : "REJECTED";
      const command = to === "PENDING" ? "reject" : "approve";
      expectProblem(lost, "invalid_transition", { from: to, command, allowed: expect.any(Array) });
      expect(await approvalOf(admin, id)).toEqual(won.data);
      expect(decisionsOf(won.data)).toHaveLength(1);
      expect((await requestOf(admin, id)).status).toBe(to);
      const event = to === "PENDING" ? "approved" : "rejected";
      expect((await storyOf(house, id)).slice(2)).toEqual([event]);
      expect(await held()).toBe(to === "PENDING" ? before : before - 1);
    }
  });

  test("with an ETag that all have seen: one goes through", async () => {
    const { id } = await wait({ minApprovals: 5 });
    const service = await house.service(admin);
    const answers = await Promise.all(
      rounds.map((round) =>
        decide(service, "approve", id, { adminId: `person-${round}` }, { "If-Match": '"1"' }),
      ),
    );
    expect(statuses(answers)).toEqual([200, ...Array<number>(7).fill(412)]);
  });

  test("with one Idempotency-Key count once, and are answered alike", async () => {
    const { id } = await wait({ minApprovals: 2 });
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const answers = await Promise.all(rounds.map(() => decide(admin, "approve", id, {}, headers)));
    for (const { status, data } of answers)
      if (status === 200) expect(data).toEqual(await approvalOf(admin, id));
      else expect(status).toBe(409);
    expect(statuses(answers)[0]).toBe(200);
    expect((await approvalOf(admin, id)).decisions).toHaveLength(1);
  });

  test("of many people on many requests each count", async () => {
    const waitingOnes = await Promise.all(rounds.map(() => wait({ minApprovals: 2 })));
    const answers = await Promise.all(
      waitingOnes.flatMap(({ id }) => [decide(admin, "approve", id), decide(ops, "approve", id)]),
    );
    expect(new Set(statuses(answers))).toEqual(new Set([200]));
    for (const { id } of waitingOnes) expect((await requestOf(admin, id)).status).toBe("PENDING");
  });
});

describe("a decision at the very moment", () => {
  test("of the deletion: the request is gone either way, and gives back once", async () => {
    for (const round of rounds) {
      const { id } = await wait();
      const before = await held();
      const verb = round % 2 === 0 ? "approve" : "reject";
      const [decided, deleted] = await Promise.all([
        decide(ops, verb, id),
        customer.call("DELETE", `${requests}/${id}`),
      ]);
      expect([deleted.status, (await requestOf(admin, id)).status]).toEqual([200, "DEPROVISIONED"]);
      const approval = await approvalOf(admin, id);
      expect(approval.status).toBe(decided.status === 200 ? decided.data.status : "EXPIRED");
      expect(approval.decidedAt).not.toBeNull();
      expect(await held()).toBe(before - 1);
    }
  });

  test("of the expiry: one of them wins, whole", async () => {
    const origin = originOf("provisioning", { requestId: "r", correlationId: "c" });
    for (const round of rounds) {
      const { id } = await wait({ expiresInHours: 48, onExpiry: round % 2 === 0 ? "REJECT" : "APPROVE" });
      const expire = second.program.landfall.mailbox
        .send(request.expired, { id, input: {}, origin })
        .catch(({ code }) => code);
      const [decided] = await Promise.all([decide(admin, "approve", id), expire]);
      const { status, version } = await approvalOf(admin, id);
      expect([status, version]).toEqual([decided.status === 200 ? "APPROVED" : "EXPIRED", 2]);
      expect((await storyOf(house, id)).slice(2)).toHaveLength(1);
      expect(await trailOf(admin, id)).toHaveLength(2);
    }
  });

  test("nothing of the quotas is lost in all this", () => expectBooks(house));
});
