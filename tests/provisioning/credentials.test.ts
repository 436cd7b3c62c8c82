import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { backup, bring, eventsAbout, manual, requests, stepStatuses } from "./stages.ts";

let house: House;
let admin: Person;
let customer: Person;
let service: Person;
/* Staff who may see credentials, and staff who may not. */
let trusted: Person[];
let others: Person[];
beforeAll(async () => {
  house = await openHouse();
  const staff = [["OPS"], ["FINANCE", "OPS"], ["FINANCE"], ["SECURITY", "SALES", "PRODUCT"]];
  const members = await Promise.all(staff.map((roles) => house.staff(...roles)));
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
  service = await house.service(admin);
  trusted = members.slice(0, 2);
  others = members.slice(2);
});
afterAll(() => house.close());

const cast = () => ({ house, customer, admin });
const secret = "s3cr3t-of-the-house";
const credentials = { user: "root", password: secret };
const access = {
  ipAddress: "2001:db8::7",
  hostname: "rack-7.example",
  endpoints: { ipmi: "https://ipmi.example" },
  notes: "Second door on the left.",
};
const get = async (person: Person, id: string) => (await person.call("GET", `${requests}/${id}`)).data;

/** Fails where anything that was stored about a request can be read as the secret. */
async function expectSealed(id: string) {
  for (const table of [
    "provisioning_requests",
    "audit_entries",
    "outbox_events",
    "idempotent_answers",
    "jobs",
  ]) {
    const stored = JSON.stringify(await house.rows("SELECT * FROM ??", [table]));
    expect([table, stored.includes(secret)]).toEqual([table, false]);
  }
  const events = await eventsAbout(house, id);
  expect(JSON.stringify(events)).not.toMatch(/credentials|s3cr3t/i);
  const { data: trail } = await admin.call("GET", `${requests}/${id}/audit`);
  expect(JSON.stringify(trail)).not.toMatch(/credentials|s3cr3t/i);
}

/** Who sees credentials when reading one request. */
async function expectShown(id: string, shown: object) {
  for (const person of [customer, admin, ...trusted]) expect((await get(person, id)).access).toEqual(shown);
  const { credentials, ...plain } = shown as any;
  for (const person of [service, ...others]) expect((await get(person, id)).access).toEqual(plain);
  for (const person of [customer, admin, service]) {
    const lists = [await person.call("GET", requests), await person.call("GET", `${requests}/order/order-1`)];
    for (const { body } of lists) expect(JSON.stringify(body)).not.toMatch(/"credentials"|s3cr3t/);
  }
}

describe("POST /provisioning/requests/{id}/manual-complete", () => {
  test("hands over what a person has made", async () => {
    const { id, status, currentStep, steps } = await bring(cast(), manual(customer.tenantId), "start");
    expect([status, currentStep, stepStatuses({ steps })]).toEqual([
      "AWAITING_MANUAL",
      null,
      Array(4).fill("PENDING"),
    ]);
    const answer = await admin.call("POST", `${requests}/${id}/manual-complete`, { ...access, credentials });
    expect([answer.status, answer.data.status]).toEqual([200, "ACTIVE"]);
    expect(stepStatuses(answer.data)).toEqual(Array(4).fill("COMPLETED"));
    for (const { startedAt, finishedAt } of answer.data.steps) expect(finishedAt >= startedAt).toBe(true);
    expect(answer.data.access).toEqual(access);
    await expectShown(id, { ...access, credentials });
    await expectSealed(id);
  });

  test("needs to say nothing", async () => {
    const { id } = await bring(cast(), manual(customer.tenantId), "start", "manual-complete");
    expect((await get(customer, id)).access).toBeNull();
    const other = await bring(cast(), manual(customer.tenantId), "start", ["manual-complete", {}]);
    expect(other.access).toBeNull();
  });

  test("shows credentials alone where nothing else was said", async () => {
    const { id } = await bring(cast(), manual(customer.tenantId), "start", [
      "manual-complete",
      { credentials },
    ]);
    const nothing = { ipAddress: null, hostname: null, endpoints: null, notes: null };
    expect((await get(customer, id)).access).toEqual({ ...nothing, credentials });
  });

  test("keeps them through suspend and reactivate, in no answer of theirs, and drops them at the end", async () => {
    const { id } = await bring(cast(), manual(customer.tenantId), "start", [
      "manual-complete",
      { credentials },
    ]);
    for (const command of ["suspend", "reactivate"]) {
      const answer = await customer.call("POST", `${requests}/${id}/${command}`);
      expect(JSON.stringify(answer.body)).not.toMatch(/credentials|s3cr3t/);
      expect((await get(customer, id)).access.credentials).toEqual(credentials);
    }
    const { body } = await customer.call("DELETE", `${requests}/${id}`);
    expect(JSON.stringify([body, await get(customer, id)])).not.toMatch(/credentials|s3cr3t/);
    const [row] = await house.rows("SELECT sealedCredentials FROM provisioning_requests WHERE id = ?", [id]);
    expect(row.sealedCredentials).toBeNull();
  });

  test("stores no credentials in clear with an Idempotency-Key", async () => {
    const { id } = await bring(cast(), manual(customer.tenantId), "start");
    const headers = { "Idempotency-Key": "hand-over" };
    const path = `${requests}/${id}/manual-complete`;
    const first = await admin.call("POST", path, { credentials }, headers);
    const second = await admin.call("POST", path, { credentials }, headers);
    expect([second.headers.get("idempotency-replayed"), second.data]).toEqual(["true", first.data]);
    await expectSealed(id);
  });

  test("is also for a cluster of type MANUAL", async () => {
    await house.world.pool.query(
      `INSERT INTO clusters (id, version, createdAt, updatedAt, name, type, region, supportedResourceTypes, isDefault, provisioningEnabled, metadata)
       VALUES (?, 1, NOW(3), NOW(3), 'Cage', 'MANUAL', 'cage', '["BARE_METAL"]', false, true, '{}')`,
      [house.world.newId()],
    );
    const specification = { flavor: "m1", image: "debian-12" };
    const body = { ...backup(customer.tenantId), resourceType: "BARE_METAL", specification };
    const started = await bring(cast(), body, "start");
    expect([started.status, typeof started.clusterId]).toEqual(["AWAITING_MANUAL", "string"]);
    const { data } = await admin.call("POST", `${requests}/${started.id}/fail`, { code: "X", message: "Y." });
    expect(data.status).toBe("FAILED");
    expect((await admin.call("POST", `${requests}/${started.id}/retry`)).data.status).toBe("AWAITING_MANUAL");
  });
});

describe("credentials in a step's output", () => {
  test("are moved to the access", async () => {
    const started = await bring(cast(), backup(customer.tenantId), "start");
    const output = { ipAddress: "192.0.2.7", credentials, size: 5 };
    const { data } = await admin.call("POST", `${requests}/${started.id}/advance`, { output });
    expect(data.steps[0].output).toEqual({ ipAddress: "192.0.2.7", size: 5 });
    const shown = { ipAddress: "192.0.2.7", hostname: null, endpoints: null, notes: null, credentials };
    await expectShown(started.id, shown);
    await expectSealed(started.id);
  });

  test("add up over the steps", async () => {
    const [first, second] = [
      { user: "root", password: secret },
      { password: `${secret}2`, token: "t" },
    ];
    const advanced = [
      ["advance", { output: { credentials: first } }],
      ["advance", { output: { credentials: second } }],
    ];
    const { id } = await bring(
      cast(),
      backup(customer.tenantId),
      "start",
      ...(advanced as [string, object][]),
    );
    expect((await get(customer, id)).access.credentials).toEqual({ ...first, ...second });
    await expectSealed(id);
  });

  test("of an attempt that failed are gone with its access, once it is retried", async () => {
    const output = { ipAddress: "192.0.2.7", credentials };
    const { id } = await bring(
      cast(),
      backup(customer.tenantId),
      "start",
      ["advance", { output }],
      ["fail", { code: "X", message: "Y." }],
    );
    expect((await get(customer, id)).access).toMatchObject(output);
    const { data } = await admin.call("POST", `${requests}/${id}/retry`);
    expect([data.access, (await get(customer, id)).access]).toEqual([null, null]);
    await admin.call("POST", `${requests}/${id}/advance`, { output: { credentials: { token: "t" } } });
    expect((await get(customer, id)).access.credentials).toEqual({ token: "t" });
  });

  for (const odd of [secret, [secret], null, { nested: { password: secret } }, { port: 5, password: secret }])
    test(`are refused in another shape than texts by name: ${JSON.stringify(odd)}`, async () => {
      const { id } = await bring(cast(), backup(customer.tenantId), "start");
      const answer = await admin.call("POST", `${requests}/${id}/advance`, { output: { credentials: odd } });
      expect([answer.status, answer.body.code]).toEqual([422, "validation_failed"]);
      expect(answer.body.errors[0].pointer).toStartWith("/output");
      expect(JSON.stringify(answer.body)).not.toContain(secret);
      expect((await get(customer, id)).currentStep).toBe("ALLOCATE");
      await expectSealed(id);
    });
});
