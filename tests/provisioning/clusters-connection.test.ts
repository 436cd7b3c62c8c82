import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import type { Socket } from "bun";
import { probeCluster } from "../../src/provisioning/cluster-probe.ts";
import { findCluster } from "../../src/provisioning/clusters.queries.ts";
import { DriverError } from "../../src/provisioning/drivers/driver-error.ts";
import { type House, openHouse, type Person } from "../house.ts";
import { expectProblem } from "../http/answers.ts";
import { auditOf, never, nowhere, openSite, path, register, standIn } from "./clusters.ts";

let house: House;
let admin: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  admin = await house.admin();
});
afterAll(() => house.close());

const get = async (id: string) => (await admin.call("GET", `${path}/${id}`)).data;
const probe = (id: string, headers?: Record<string, string>) =>
  admin.call("POST", `${path}/${id}/test-connection`, undefined, headers);
/** What a test says of a new cluster. */
async function tested(more: object) {
  const { id } = await register(admin, more);
  const answer = await probe(id);
  expect(answer.status).toBe(200);
  const { ok, detail, checks } = answer.data;
  expect(answer.data).toEqual({ ok, latencyMs: expect.any(Number), detail, checks });
  expect(Number.isInteger(answer.data.latencyMs)).toBe(true);
  expect((await get(id)).status).toBe(ok ? "HEALTHY" : "UNHEALTHY");
  return { ok, detail, checks };
}
const one = (name: string, ok: boolean, detail: string) => ({ ok, detail, checks: [{ name, ok, detail }] });

describe("POST /api/clusters/{id}/test-connection", () => {
  test("finds nothing to fail where nothing is called", async () => {
    expect(await tested({ type: "MANUAL" })).toMatchObject({ ok: true, checks: [{ ok: true }] });
    expect(await tested({ type: "SIMULATED" })).toMatchObject({ ok: true, checks: [{ ok: true }] });
  });

  for (const type of ["PROXMOX", "KUBERNETES", "VMWARE", "POWERDNS"])
    test(`has no driver to try for ${type}, so it tries the URL`, async () => {
      using site = openSite();
      const { apiUrl } = site;
      expect(await tested({ type, apiUrl })).toEqual(one("endpoint", true, "It answered with status 200."));
      // Where both are given, the API counts.
      expect(await tested({ type, authUrl: nowhere, apiUrl })).toMatchObject({ ok: true });
      expect(await tested({ type, authUrl: apiUrl })).toMatchObject({ ok: true });
      const detail =
        "There is no driver for this type and no URL to try; its requests are driven through the API.";
      expect(await tested({ type })).toEqual(one("endpoint", false, detail));
    });

  for (const status of [204, 301, 401, 404, 500])
    test(`takes ${status} for an answer, as any other`, async () => {
      using elsewhere = openSite();
      using site = openSite(() => new Response(null, { status, headers: { Location: elsewhere.apiUrl } }));
      const detail = `It answered with status ${status}.`;
      expect(await tested({ apiUrl: site.apiUrl })).toEqual(one("endpoint", true, detail));
      expect([site.requests.length, elsewhere.requests.length]).toEqual([1, 0]);
    });

  test("sends a URL without a driver nothing but the question", async () => {
    using site = openSite();
    await tested({ apiUrl: `${site.apiUrl}api?x=1`, credentialsRef: "env:PATH", projectName: "secret" });
    const [asked] = site.requests;
    expect(asked).toMatchObject({ method: "GET", url: `${site.apiUrl}api?x=1` });
    expect(Object.keys(asked?.headers ?? {}).sort()).toEqual([
      ...["accept", "accept-encoding", "connection", "host", "user-agent"],
    ]);
  });

  test("does not wait for the end of an answer", async () => {
    const body = () => new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1000)) });
    using site = openSite(() => new Response(body()));
    expect((await tested({ apiUrl: site.apiUrl })).ok).toBe(true);
  });

  test("says what is wrong where it gets none", async () => {
    const listen = (open: (socket: Socket) => void) =>
      Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { open, data() {} } });
    const closing = listen((socket) => socket.end());
    const mail = listen((socket) => socket.write("220 mail ESMTP\r\n"));
    const faults = [
      [nowhere, "The connection was refused."],
      ["http://no-such-host.invalid/", "The host name is not known."],
      [`http://127.0.0.1:${closing.port}/`, "The connection was closed without an answer."],
      [`http://127.0.0.1:${mail.port}/`, "It does not speak HTTP."],
      [`https://127.0.0.1:${mail.port}/`, "It does not speak TLS."],
    ] as const;
    for (const [apiUrl, detail] of faults)
      expect(await tested({ apiUrl })).toEqual(one("endpoint", false, detail));
    for (const server of [closing, mail]) server.stop(true);
  });

  test("tells of the first check that failed, else of the last", async () => {
    const check = (name: string, ok: boolean) => ({ name, ok, detail: `${name}: ${ok}.` });
    let checks = [check("sign-in", true), check("compute", false), check("network", true)];
    using _ = standIn("VMWARE", async () => checks);
    expect(await tested({ type: "VMWARE" })).toEqual({ ok: false, detail: "compute: false.", checks });
    checks = [check("sign-in", true), check("compute", true)];
    expect(await tested({ type: "VMWARE" })).toEqual({ ok: true, detail: "compute: true.", checks });
  });

  test("passes on what a driver says of a fault, and nothing of what breaks", async () => {
    let fault: unknown = new DriverError("AUTH_FAILED", "The credentials were refused.");
    using _ = standIn("VMWARE", async () => {
      throw fault;
    });
    expect(await tested({ type: "VMWARE" })).toEqual(
      one("connection", false, "The credentials were refused."),
    );
    using written = spyOn(process.stderr, "write").mockImplementation(() => true);
    const detail = "The test broke off; the log says where.";
    for (fault of [new TypeError("hunter2 is not a function"), "hunter2", null, { message: "hunter2" }])
      expect(await tested({ type: "VMWARE" })).toEqual(one("connection", false, detail));
    const lines = written.mock.calls.map(([line]) => JSON.parse(String(line)));
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatchObject({
      error: "TypeError",
      at: [expect.stringContaining("clusters-connection")],
    });
    expect(JSON.stringify(lines)).not.toContain("hunter2");
  });

  test("ends in time, whether the driver minds its signal or not", async () => {
    const aborted: boolean[] = [];
    using _ = standIn("VMWARE", (_, signal) => {
      signal.addEventListener("abort", () => aborted.push(signal.aborted));
      return never();
    });
    using site = openSite(never);
    for (const more of [{ type: "VMWARE" }, { apiUrl: site.apiUrl }]) {
      const { id } = await register(admin, more);
      const found = await findCluster(house.world, id);
      const { latencyMs, ...rest } = await probeCluster(house.program.landfall, found, 30);
      expect(rest).toEqual(one("connection", false, "The infrastructure did not answer in time."));
    }
    expect(aborted).toEqual([true]);
  });

  test("changes the status alone, and only when it is another", async () => {
    const site = openSite();
    const { id } = await register(admin, { apiUrl: site.apiUrl });
    const since = async () =>
      (await house.rows("SELECT statusSince FROM clusters WHERE id = ?", [id]))[0].statusSince;
    const before = await get(id);
    expect([before.status, await since()]).toEqual(["UNKNOWN", null]);
    await probe(id);
    expect(await get(id)).toEqual({ ...before, status: "HEALTHY" });
    const healthySince = await since();
    expect(healthySince).toBeInstanceOf(Date);
    await probe(id);
    expect(await since()).toEqual(healthySince);
    site.close();
    await probe(id);
    expect(await get(id)).toEqual({ ...before, status: "UNHEALTHY" });
    expect((await since()) > healthySince).toBe(true);
    expect(await auditOf(house, id)).toEqual(["create"]);
  });

  for (const [field, value] of [
    ["authUrl", nowhere],
    ["apiUrl", nowhere],
    ["projectName", "other"],
    ["domainName", "other"],
    ["credentialsRef", "env:OTHER"],
    ["apiUrl", null],
  ] as const)
    test(`is to be done again once ${field} is ${value ? "another" : "cleared"}`, async () => {
      using site = openSite();
      const { id } = await register(admin, { apiUrl: site.apiUrl });
      await probe(id);
      const named = await admin.call("PATCH", `${path}/${id}`, { name: "Rack 5", metadata: { a: 1 } });
      expect(named.data.status).toBe("HEALTHY");
      const moved = await admin.call("PATCH", `${path}/${id}`, { [field]: value });
      expect(moved.data).toMatchObject({ status: "UNKNOWN", version: 3 });
    });

  test("says nothing of a cluster that was changed meanwhile", async () => {
    const answer = Promise.withResolvers<Response>();
    const asked = Promise.withResolvers<void>();
    using site = openSite(() => {
      asked.resolve();
      return answer.promise;
    });
    const { id } = await register(admin, { apiUrl: site.apiUrl });
    const testing = probe(id);
    await asked.promise;
    await admin.call("PATCH", `${path}/${id}`, { apiUrl: nowhere });
    answer.resolve(new Response());
    expect((await testing).data.ok).toBe(true);
    expect((await get(id)).status).toBe("UNKNOWN");
  });

  test("of a cluster that is removed meanwhile ends as for one that is not there", async () => {
    const answer = Promise.withResolvers<Response>();
    const asked = Promise.withResolvers<void>();
    using site = openSite(() => {
      asked.resolve();
      return answer.promise;
    });
    const { id } = await register(admin, { apiUrl: site.apiUrl });
    const testing = probe(id);
    await asked.promise;
    expect((await admin.call("DELETE", `${path}/${id}`)).status).toBe(200);
    answer.resolve(new Response());
    expectProblem(await testing, "not_found");
  });

  test("answers the same again under an Idempotency-Key", async () => {
    const site = openSite();
    const { id } = await register(admin, { apiUrl: site.apiUrl });
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const first = await probe(id, headers);
    site.close();
    const again = await probe(id, headers);
    expect([again.data, again.headers.get("idempotency-replayed")]).toEqual([first.data, "true"]);
    expect((await probe(id)).data.ok).toBe(false);
  });

  test("is honoured for the version that If-Match names", async () => {
    const { id } = await register(admin, { type: "MANUAL" });
    expectProblem(await probe(id, { "If-Match": '"2"' }), "precondition_failed");
    expect((await probe(id, { "If-Match": '"1"' })).status).toBe(200);
  });
});
