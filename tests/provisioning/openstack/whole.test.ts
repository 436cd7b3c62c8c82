import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { driveJob } from "../../../actors/provisioning/driving.ts";
import type { JobKind } from "../../../src/jobs/runner.ts";
import { provisioningJobs } from "../../../src/provisioning/jobs.ts";
import { openWiredSite } from "../../crash/site.ts";
import { type House, openHouse, type Person, vm } from "../../house.ts";
import { eventually } from "../../streams/bus.ts";
import { register } from "../clusters.ts";
import { requests } from "../stages.ts";
import { type OpenStack, openOpenStack } from "./cloud/cloud.ts";
import { password } from "./stage.ts";

/* Landfall as a whole, with an OpenStack behind it. */

let cloud: OpenStack;
beforeAll(async () => {
  cloud = await openOpenStack();
  process.env["TEST_OPENSTACK"] = password;
});
afterAll(async () => {
  delete process.env["TEST_OPENSTACK"];
  await cloud[Symbol.asyncDispose]();
});

const cluster = () => ({
  name: "Cloud",
  type: "OPENSTACK",
  region: "RegionOne",
  authUrl: cloud.authUrl,
  projectName: "cloud",
  credentialsRef: "env:TEST_OPENSTACK",
  supportedResourceTypes: ["VM"],
  metadata: { pollSeconds: 0.005 },
});
const order = (tenantId: string, more: object = {}) => {
  const body = vm(tenantId);
  return { ...body, specification: { ...body.specification, ...more, region: "RegionOne" } };
};
const serversOf = (id: string) =>
  [...cloud.compute.servers.values()].filter(({ shown }) => shown.tags.includes(`landfall-${id}`));

describe("a VM that is ordered from Landfall", () => {
  let house: House;
  let [admin, customer]: Person[] = [];
  beforeAll(async () => {
    house = await openHouse({ samples: false });
    [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
    await register(admin as Person, cluster());
  });
  afterAll(() => house.close());
  const started = async (more?: object): Promise<string> => {
    const { data } = await customer!.call("POST", requests, order(customer!.tenantId, more));
    expect((await admin!.call("POST", `${requests}/${data.id}/start`)).status).toBe(200);
    return data.id;
  };

  test("is built on OpenStack, suspended, reactivated and removed", async () => {
    const id = await started({ hostname: "web-1" });
    const active = await house.until(customer!, id, "ACTIVE");
    const [server] = serversOf(id);
    expect(active.access).toMatchObject({ hostname: "web-1", ipAddress: expect.stringMatching(/^10\./) });
    expect(active.steps[0].output).toEqual({ instanceId: server?.shown.id, flavor: "m1.medium" });
    for (const [command, status] of [
      ["suspend", "SHUTOFF"],
      ["reactivate", "ACTIVE"],
    ] as const) {
      expect((await admin!.call("POST", `${requests}/${id}/${command}`)).status).toBe(200);
      await eventually(() => server?.shown.status === status);
    }
    expect((await customer!.call("DELETE", `${requests}/${id}`)).status).toBe(202);
    await house.until(customer!, id, "DEPROVISIONED");
    expect(serversOf(id)).toEqual([]);
  });

  test("fails with what the cluster says, and leaves nothing there", async () => {
    const id = await started({ vcpu: 200, memoryMb: 4_000_000, diskGb: 50_000 });
    const failed = await house.until(customer!, id, "FAILED");
    expect(failed.error).toMatchObject({
      code: "NO_CAPACITY",
      message: "The cluster has no room for it.",
    });
    expect(serversOf(id)).toEqual([]);
  });

  test("is tried again while the cluster is away", async () => {
    cloud.trouble("POST compute /v2.1/servers", "cut after");
    const id = await started();
    await house.until(customer!, id, "ACTIVE");
    expect(serversOf(id)).toHaveLength(1);
  });

  test("is in its worker's hand for as long as an order to the cluster is on its way", async () => {
    const released = Promise.withResolvers<void>();
    const sent = cloud.trouble("POST compute /v2.1/servers", released.promise);
    const id = await started();
    await sent;
    const job = { id: 0, kind: driveJob, key: id, payload: null, attempt: 0, revision: 0 };
    const [drive] = provisioningJobs(house.program.landfall) as [JobKind];
    const stopped = new AbortController();
    let ended = false;
    const driven = drive
      .run({ ...job, requestId: id, correlationId: id }, stopped.signal)
      .catch((error) => error)
      .finally(() => {
        ended = true;
      });
    const reason = new Error("It was ordered again.");
    stopped.abort(reason);
    await Bun.sleep(50);
    expect(ended).toBe(false);
    released.resolve();
    expect(await driven).toBe(reason);
    await house.until(customer!, id, "ACTIVE");
  });

  test("shows no secret of the cluster anywhere", async () => {
    const { data } = await admin!.call("GET", "/api/clusters");
    const { data: tested } = await admin!.call("POST", `/api/clusters/${data[0].id}/test-connection`);
    expect(tested.checks.map(({ name, ok }: any) => [name, ok])).toEqual([
      ["credentials", true],
      ["keystone", true],
      ["compute", true],
    ]);
    expect(JSON.stringify([data, tested])).not.toContain("secret-of-landfall");
    for (const table of ["clusters", "provisioning_requests", "audit_entries", "outbox_events", "jobs"]) {
      const stored = JSON.stringify(await house.rows("SELECT * FROM ??", [table]));
      expect([table, /secret-of-landfall|token-\d/.test(stored)]).toEqual([table, false]);
    }
  });
});

describe("a program that is killed after Nova made the server, before it heard of it", () => {
  test("finds the server by its tag when it runs again: there is exactly one", async () => {
    await using site = await openWiredSite();
    const call = async (method: string, path: string, body?: unknown): Promise<any> =>
      (await site.call(await site.door(), method, path, body)).json();
    await call("POST", "/api/clusters", cluster());
    const made = cloud.trouble("POST compute /v2.1/servers", "hang after");
    const { data: me } = await call("GET", "/api/identity/me");
    const { data } = await call("POST", requests, order(me.tenantId));
    await call("POST", `${requests}/${data.id}/start`);
    await made;
    await site.killAll();
    expect(serversOf(data.id)).toHaveLength(1);
    await site.ageLeases(10);
    await site.start();
    await eventually(
      async () => (await call("GET", `${requests}/${data.id}`)).data.status === "ACTIVE",
      20_000,
    );
    expect(serversOf(data.id)).toHaveLength(1);
    expect(
      cloud
        .callsOf("POST compute /v2.1/servers")
        .filter(({ body }) => body.server?.tags[0].endsWith(data.id)),
    ).toHaveLength(1);
  });
});
