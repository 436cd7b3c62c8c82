import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { expectInvalid, expectProblem } from "../http/answers.ts";
import { auditOf, path, register } from "./clusters.ts";

let house: House;
let admin: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  admin = await house.admin();
});
afterAll(() => house.close());

const get = async (id: string) => (await admin.call("GET", `${path}/${id}`)).data;
const patch = (id: string, body: object, headers?: Record<string, string>) =>
  admin.call("PATCH", `${path}/${id}`, body, headers);

const unused = { vcpu: 0, memoryMb: 0, storageGb: 0, instances: 0 };
const smallest = { name: "Rack 4", type: "VMWARE", region: "attic" };
const usual = {
  authUrl: null,
  apiUrl: null,
  projectName: null,
  domainName: null,
  credentialsRef: null,
  supportedResourceTypes: null,
  isDefault: false,
  provisioningEnabled: true,
  capacity: {},
  metadata: {},
};
const whole = {
  name: "Frankfurt 1 – äußerst 🗄",
  region: "eu-central",
  authUrl: "https://openstack.example.com:5000/v3",
  apiUrl: "http://[2001:db8::1]:8006/api2?x=1#y",
  projectName: "landfall",
  domainName: "Default",
  credentialsRef: "file:fra-1_a.json",
  supportedResourceTypes: ["VM", "VOLUME"],
  isDefault: true,
  provisioningEnabled: false,
  capacity: { vcpu: 64, memoryMb: 2 ** 53 - 1, storageGb: 0 },
  metadata: { stepTimeoutSeconds: 60, deep: { list: [1, null, { a: "b" }] } },
};
const made = {
  id: expect.any(String),
  used: unused,
  status: "UNKNOWN",
  version: 1,
  createdAt: expect.any(String),
  updatedAt: expect.any(String),
};

describe("POST /api/clusters", () => {
  test("registers a cluster with what is usual for all that is not said", async () => {
    const answer = await admin.call("POST", path, smallest);
    expect([answer.status, answer.data]).toEqual([201, { ...smallest, ...usual, ...made }]);
    expect(answer.headers.get("location")).toBe(`${path}/${answer.data.id}`);
    expect(await get(answer.data.id)).toEqual(answer.data);
    expect(await auditOf(house, answer.data.id)).toEqual(["create"]);
  });

  test("keeps every field as it was given", async () => {
    const answer = await admin.call("POST", path, { ...whole, type: "MANUAL" });
    expect(answer.data).toEqual({ ...whole, ...made, type: "MANUAL" });
    expect(await get(answer.data.id)).toEqual(answer.data);
  });

  test("takes null for what may be absent", async () => {
    const { isDefault, provisioningEnabled, ...nullable } = usual;
    const nothing = Object.fromEntries(Object.keys(nullable).map((name) => [name, null]));
    const answer = await admin.call("POST", path, { ...smallest, ...nothing });
    expect(answer.data).toEqual({ ...smallest, ...usual, ...made });
  });

  test("registers every type, with a driver or without", async () => {
    for (const type of ["OPENSTACK", "PROXMOX", "KUBERNETES", "VMWARE", "POWERDNS", "MANUAL", "SIMULATED"])
      expect((await register(admin, { type, provisioningEnabled: false })).type).toBe(type);
  });

  test("registers one cluster under an Idempotency-Key", async () => {
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const first = await admin.call("POST", path, smallest, headers);
    const again = await admin.call("POST", path, smallest, headers);
    expect([again.status, again.data]).toEqual([201, first.data]);
  });
});

describe("GET /api/clusters", () => {
  test("lists those of a type, the latest first, or by name", async () => {
    const names = ["Zürich", "aarau", "Bern"];
    for (const name of names) await register(admin, { name, type: "POWERDNS", region: "ch" });
    const list = async (query: string) =>
      (await admin.call("GET", `${path}?type=POWERDNS&${query}`)).data
        .filter(({ region }: any) => region === "ch")
        .map(({ name }: any) => name);
    expect(await list("")).toEqual(["Bern", "aarau", "Zürich"]);
    expect(await list("sort=createdAt")).toEqual(names);
    expect(await list("sort=name")).toEqual(["aarau", "Bern", "Zürich"]);
    const all = await admin.call("GET", `${path}?limit=100`);
    const types = new Set(all.data.map(({ type }: any) => type));
    expect([all.body.meta.total, types.size]).toEqual([all.data.length, 7]);
  });

  test("walks by cursor", async () => {
    const ids: string[] = [];
    for (let cursor = ""; ; ) {
      const { body } = await admin.call("GET", `${path}?limit=2&sort=name${cursor}`);
      ids.push(...body.data.map(({ id }: any) => id));
      if (!body.meta.has_more) break;
      cursor = `&cursor=${body.meta.next_cursor}`;
    }
    const [{ total }] = await house.rows("SELECT COUNT(*) AS total FROM clusters");
    expect([new Set(ids).size, ids.length]).toEqual([total, total]);
  });

  for (const type of ["openstack", "HYPERV", ""])
    test(`refuses ?type=${type}`, async () => {
      expectInvalid(await admin.call("GET", `${path}?type=${type}`), "query/type");
    });
});

describe("PATCH /api/clusters/{id}", () => {
  test("changes each field alone, and null clears what may be absent", async () => {
    const { id } = await register(admin, { type: "MANUAL" });
    let now = await get(id);
    for (const [field, value] of Object.entries(whole)) {
      const next = { ...now, [field]: value, version: now.version + 1, updatedAt: expect.any(String) };
      now = (await patch(id, { [field]: value })).data;
      expect(now).toEqual(next);
    }
    const { isDefault, provisioningEnabled, ...nullable } = usual;
    for (const [field, cleared] of Object.entries(nullable)) {
      const next = { ...now, [field]: cleared, version: now.version + 1, updatedAt: expect.any(String) };
      now = (await patch(id, { [field]: null })).data;
      expect(now).toEqual(next);
    }
    expect(await get(id)).toEqual(now);
    const commands = await auditOf(house, id);
    expect(commands).toEqual(["create", ...Array(now.version - 1).fill("update")]);
  });

  test("takes capacity and metadata as a whole", async () => {
    const { id } = await register(admin, { capacity: { vcpu: 4, instances: 2 }, metadata: { a: 1, b: 2 } });
    const { data } = await patch(id, { capacity: { vcpu: 5 }, metadata: { b: 3 } });
    expect([data.capacity, data.metadata]).toEqual([{ vcpu: 5 }, { b: 3 }]);
  });

  test("leaves the version where nothing changes", async () => {
    const { version, type, ...before } = await register(admin, { ...whole, isDefault: false });
    const { id, used, status, createdAt, updatedAt, ...fields } = before;
    // In another order, the same.
    const capacity = Object.fromEntries(Object.entries(fields.capacity).reverse());
    for (const body of [{}, fields, { capacity }, { name: before.name }])
      expect((await patch(id, body)).data).toEqual({ ...before, version: 1, type });
    expect(await auditOf(house, id)).toEqual(["create"]);
  });

  test("is carried out for the version that If-Match names alone", async () => {
    const { id } = await register(admin);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => patch(id, { region: `r${i}` }, { "If-Match": '"1"' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(412)]);
    expect((await get(id)).version).toBe(2);
    const stale = await admin.call("DELETE", `${path}/${id}`, undefined, { "If-Match": '"1"' });
    expectProblem(stale, "precondition_failed");
    expect((await admin.call("DELETE", `${path}/${id}`, undefined, { "If-Match": '"2"' })).status).toBe(200);
  });

  test("keeps all of many changes at once", async () => {
    const { id } = await register(admin);
    const fields = ["projectName", "domainName", "region", "name"];
    await Promise.all(fields.map((field) => patch(id, { [field]: field })));
    const { version, ...now } = await get(id);
    expect(version).toBe(5);
    for (const field of fields) expect(now[field]).toBe(field);
  });

  test("names in the audit what it has changed", async () => {
    const { id } = await register(admin);
    await patch(id, { region: "cellar", name: "Rack 4", capacity: { vcpu: 1 } });
    const [{ detail }] = await house.rows(
      "SELECT detail FROM audit_entries WHERE recordId = ? AND version = 2",
      [id],
    );
    expect(detail).toEqual({ changed: ["region", "capacity"] });
  });
});

describe("DELETE /api/clusters/{id}", () => {
  test("removes a cluster for good", async () => {
    const { id } = await register(admin);
    const answer = await admin.call("DELETE", `${path}/${id}`);
    expect([answer.status, answer.data]).toEqual([200, { id, deleted: true }]);
    for (const [method, place] of [
      ["GET", ""],
      ["PATCH", ""],
      ["DELETE", ""],
      ["POST", "/test-connection"],
    ] as const) {
      const body = method === "PATCH" ? { name: "x" } : undefined;
      expectProblem(await admin.call(method, `${path}/${id}${place}`, body), "not_found");
    }
    expect(await auditOf(house, id)).toEqual(["create", "delete"]);
  });

  test("removes it once", async () => {
    const { id } = await register(admin);
    const answers = await Promise.all(Array.from({ length: 5 }, () => admin.call("DELETE", `${path}/${id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404]);
  });
});
