import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { neverEchoed } from "../endpoint.ts";
import { type House, openHouse, type Person } from "../house.ts";
import { expectEnvelope, expectInvalid, expectProblem } from "../http/answers.ts";
import {
  approvalOf,
  decide,
  decisionsOf,
  everythingOf,
  path,
  requestOf,
  trailOf,
  waiting,
} from "./approvals.ts";
import { backup, holdBack, requests, stages, storyOf } from "./stages.ts";

let house: House;
let admin: Person;
let customer: Person;
let ops: Person;
let finance: Person;
let service: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
  [ops, finance, service] = await Promise.all([
    house.staff("OPS"),
    house.staff("FINANCE"),
    house.service(admin),
  ]);
});
afterAll(() => house.close());

const cast = () => ({ house, customer, admin });
const wait = (terms?: object) => waiting(cast(), terms);
/** A request of the customer's tenant that somebody else has ordered, held back as one of the customer's own. */
const orderedBy = async (person: Person) => {
  const { metadata } = await wait();
  return (await person.call("POST", requests, { ...backup(customer.tenantId), metadata })).data;
};
const everything = (id: string) => everythingOf({ house, admin }, id);

const verbs = [
  { verb: "approve", said: "APPROVED", to: "PENDING", event: "approved" },
  { verb: "reject", said: "REJECTED", to: "REJECTED", event: "rejected" },
] as const;

describe.each(verbs)("POST /api/approvals/{provisioningRequestId}/$verb", ({ verb, said, to, event }) => {
  test("ends the wait where one is enough", async () => {
    const { id } = await wait({ expiresInHours: 48 });
    const before = await approvalOf(admin, id);
    const answer = await decide(admin, verb, id, { comment: "Seen.\n\tGrüße 👩‍🚀" });
    expectEnvelope(answer);
    const request = await requestOf(customer, id);
    const at = request.updatedAt;
    const decision = { adminId: admin.id, decision: said, comment: "Seen.\n\tGrüße 👩‍🚀", at };
    expect(answer.data).toEqual({
      ...before,
      ...{ status: said, decisions: [decision], decidedAt: at, updatedAt: at, version: 2 },
    });
    expect([answer.status, answer.headers.get("etag"), answer.headers.has("location")]).toEqual([
      200,
      '"2"',
      false,
    ]);
    expect([request.status, request.version]).toEqual([to, 2]);
    expect(await storyOf(house, id)).toEqual(["requested", "approval-requested", event]);
    expect((await trailOf(customer, id)).at(-1)).toEqual({
      actor: { id: admin.id, kind: "user" },
      ...{ command: verb, from: "PENDING_APPROVAL", to },
      detail: { adminId: admin.id, comment: "Seen.\n\tGrüße 👩‍🚀" },
    });
    expect(await approvalOf(customer, id)).toEqual(answer.data);
  });

  test("takes it from an ADMIN, OPS and FINANCE, and from nobody else", async () => {
    const { id, version } = await wait({ minApprovals: 2 });
    for (const role of ["SALES", "SECURITY", "PRODUCT"])
      expectProblem(await decide(await house.staff(role), verb, id), "forbidden");
    expectProblem(await decide(customer, verb, id), "forbidden");
    expect((await requestOf(admin, id)).version).toBe(version);
    for (const person of [admin, ops, finance]) {
      const { status, data } = await decide(person, verb, (await wait()).id);
      expect([status, data.status]).toEqual([200, said]);
    }
  });

  test("takes it in nobody else's name, but from a service", async () => {
    const { id } = await wait();
    const before = await everything(id);
    for (const adminId of [ops.id, customer.id, neverEchoed, admin.id.toUpperCase(), ` ${admin.id}`]) {
      const answer = await decide(admin, verb, id, { adminId, comment: neverEchoed });
      expectProblem(answer, "forbidden");
      expect(JSON.stringify(answer.body)).not.toContain(neverEchoed);
    }
    expect(await everything(id)).toEqual(before);
    const { data } = await decide(service, verb, id, { adminId: ops.id });
    expect(decisionsOf(data)).toEqual([[ops.id, said]]);
    expect((await trailOf(admin, id)).at(-1)).toMatchObject({
      actor: { id: service.id, kind: "service" },
      detail: { adminId: ops.id, comment: null },
    });
  });

  test("takes it from nobody on a request of their own, not even through a service", async () => {
    const { id } = await orderedBy(admin);
    const before = await everything(id);
    expectProblem(await decide(admin, verb, id), "forbidden");
    expectProblem(await decide(service, verb, id, { adminId: admin.id }), "forbidden");
    expect(await everything(id)).toEqual(before);
    expect((await decide(ops, verb, id)).status).toBe(200);
    const { id: ofService } = await orderedBy(service);
    expectProblem(await decide(service, verb, ofService), "forbidden");
    expect((await decide(service, verb, ofService, { adminId: admin.id })).status).toBe(200);
  });

  test("takes it from nobody on a request that was ordered with an API key of their own", async () => {
    const sent = { name: "script", kind: "tenant" };
    const { data: key } = await admin.call("POST", "/api/identity/api-keys", sent);
    const { id: hold } = await holdBack({ house, admin, customer: admin });
    const body = { ...backup(admin.tenantId), metadata: { hold } };
    const { data } = await house.call("POST", requests, body, { "X-API-Key": key.key });
    expect([data.status, data.createdBy]).toEqual(["PENDING_APPROVAL", key.id]);
    expectProblem(await decide(admin, verb, data.id), "forbidden");
    expect((await decide(ops, verb, data.id)).status).toBe(200);
  });

  test("keeps a comment of 2000 characters, and null where there is none", async () => {
    const long = "👩".repeat(2000);
    const { data } = await decide(admin, verb, (await wait()).id, { comment: long });
    expect(data.decisions[0].comment).toBe(long);
    const { id } = await wait();
    expectInvalid(await decide(admin, verb, id, { comment: `${long}.` }), "/comment");
    expectInvalid(await decide(admin, verb, id, { comment: "\u0000" }), "/comment");
    expect((await decide(admin, verb, id)).data.decisions[0].comment).toBeNull();
    const silent = await decide(admin, verb, (await wait()).id, { comment: "" });
    expect(silent.data.decisions[0].comment).toBe("");
  });

  const elsewhere = ["PENDING", "PROVISIONING", "ACTIVE", "FAILED", "DEPROVISIONED"] as const;
  test.each(elsewhere)("refuses a request that is %s and has asked nobody", async (from) => {
    const { id } = await stages[from](cast());
    const answer = await decide(admin, verb, id);
    const allowed = expect.any(Array);
    expectProblem(answer, "invalid_transition", { from, command: verb, allowed });
    expect(answer.body.allowed).not.toContain("approve");
    expectProblem(await admin.call("GET", `${path}/request/${id}`), "not_found");
  });

  test.each(verbs)("refuses others after somebody has said $said", async (first) => {
    const { id } = await wait();
    await decide(admin, first.verb, id);
    const before = await everything(id);
    const allowed = first.to === "PENDING" ? ["start", "delete"] : ["delete"];
    expectProblem(await decide(ops, verb, id), "invalid_transition", {
      from: first.to,
      command: verb,
      allowed,
    });
    expectProblem(await decide(admin, verb, id), "already_decided");
    expect(await everything(id)).toEqual(before);
  });

  test("does not know what is not there", async () => {
    for (const id of [
      house.world.newId(),
      "nonsense",
      "日本",
      "%27",
      customer.id,
      (await wait()).id.toUpperCase(),
    ])
      expectProblem(await decide(admin, verb, id), "not_found");
  });

  test("answers a repeat with its key what it answered first, and counts it once", async () => {
    const { id } = await wait({ minApprovals: 2 });
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const first = await decide(admin, verb, id, { comment: "Seen." }, headers);
    await decide(ops, verb, id);
    const again = await decide(admin, verb, id, { comment: "Seen." }, headers);
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
    expect([again.data, again.headers.get("etag")]).toEqual([first.data, '"2"']);
    expectProblem(await decide(admin, verb, id, { comment: "Other." }, headers), "idempotency_mismatch");
    const { decisions } = await approvalOf(admin, id);
    expect(decisions.filter(({ adminId }: any) => adminId === admin.id)).toHaveLength(1);
  });

  test("heeds If-Match, which the approval's ETag is good for", async () => {
    const { id } = await wait({ minApprovals: 3 });
    await decide(finance, "approve", id);
    const { headers } = await admin.call("GET", `${path}/request/${id}`);
    const tag = headers.get("etag") as string;
    expect([tag, (await requestOf(admin, id)).version]).toEqual(['"2"', 2]);
    await decide(ops, "approve", id);
    const before = await everything(id);
    expectProblem(await decide(admin, verb, id, {}, { "If-Match": tag }), "precondition_failed");
    expect(await everything(id)).toEqual(before);
    const fresh = await decide(admin, verb, id, {}, { "If-Match": '"3"' });
    expect([fresh.status, fresh.data.status]).toEqual([200, said]);
  });
});
