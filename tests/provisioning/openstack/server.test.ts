import { describe, expect, test } from "bun:test";
import { openstack } from "../../../src/provisioning/drivers/openstack.ts";
import { recorded } from "./cloud/recordings.ts";
import { never, serviceOf, take, takeAll } from "./services.ts";
import { codeOf, machine, stage } from "./stage.ts";

const held = stage();
const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKl8n5oUe0uKMuxcAHX9Kq5Uc5sVnJ6Qyb0o2V1v2b3c ada";
const vm = (more: object = {}, request: object = {}) =>
  serviceOf(held.site, "VM", { ...machine, ...more }, request);
const created = () => held.cloud.callsOf("POST compute /v2.1/servers").filter(({ body }) => body.server);

describe("a VM on OpenStack", () => {
  test("is built, runs and is reached", async () => {
    const service = vm({ hostname: "web-1.example.com" });
    const brought = await takeAll(service);
    const [{ body }] = created() as [any];
    expect(created()).toHaveLength(1);
    expect(body.server).toMatchObject({
      name: "web-1.example.com",
      tags: [`landfall-${service.request.id}`],
      metadata: { landfall_request: service.request.id, landfall_tenant: "tenant-1" },
    });
    expect(held.cloud.compute.servers.get(brought["instanceId"] as string)?.shown.status).toBe("ACTIVE");
    expect(brought).toMatchObject({
      hostname: "web-1.example.com",
      ipAddress: expect.stringMatching(/^10\.0\.0\.\d+$/),
      flavor: "m1.medium",
      healthy: true,
    });
  });

  test("is asked for in one version of Nova, with a token", async () => {
    await takeAll(vm());
    const versions = held.cloud.callsOf("").filter(({ service }) => service === "compute");
    for (const { headers } of versions) {
      expect(headers["openstack-api-version"]).toBe("compute 2.60");
      expect(headers["x-auth-token"]).toStartWith("token-");
    }
  });

  test("stops, starts again, and may be told so twice", async () => {
    const service = vm();
    const { instanceId } = await takeAll(service);
    const status = () => held.cloud.compute.servers.get(instanceId as string)?.shown.status;
    for (const _ of ["once", "twice"]) {
      await openstack.suspend(service, never);
      expect(status()).toBe("SHUTOFF");
    }
    for (const _ of ["once", "twice"]) {
      await openstack.resume(service, never);
      expect(status()).toBe("ACTIVE");
    }
    expect(held.cloud.callsOf(`POST compute /v2.1/servers/${instanceId}/action`)).toHaveLength(2);
  });

  for (const [status, action] of [
    ["PAUSED", "unpause"],
    ["SUSPENDED", "resume"],
    ["SHELVED_OFFLOADED", "unshelve"],
  ] as const)
    test(`that an operator left ${status} counts as stopped, and is started by ${action}`, async () => {
      const service = vm();
      const { instanceId } = await takeAll(service);
      const server = held.cloud.compute.servers.get(instanceId as string);
      server!.shown.status = status;
      await openstack.suspend(service, never);
      expect(server?.shown.status).toBe(status);
      await openstack.resume(service, never);
      expect(server?.shown.status).toBe("ACTIVE");
      const actions = held.cloud.callsOf(`POST compute /v2.1/servers/${instanceId}/action`);
      expect(actions.map(({ body }) => body)).toEqual([{ [action]: null }]);
    });

  test("that can't be stopped says why", async () => {
    const service = vm();
    const { instanceId } = await takeAll(service);
    const action = `POST compute /v2.1/servers/${instanceId}/action`;
    held.cloud.trouble(action, recorded("stop-stopped"), 2);
    expect(await codeOf(openstack.suspend(service, never))).toBe("CONFLICT");
    expect(held.cloud.callsOf(action)).toHaveLength(1);
  });

  test("that someone stopped is started by ACTIVATE", async () => {
    const service = vm();
    await take(service, "ALLOCATE");
    await take(service, "CONFIGURE");
    await openstack.suspend(service, never);
    await take(service, "ACTIVATE");
    expect(await take(service, "VERIFY")).toMatchObject({ healthy: true });
  });

  test("that does not run at the end fails VERIFY", async () => {
    const service = vm();
    for (const step of ["ALLOCATE", "CONFIGURE", "ACTIVATE"] as const) await take(service, step);
    await openstack.suspend(service, never);
    expect(await codeOf(take(service, "VERIFY"))).toBe("NOT_RUNNING");
  });

  test("is gone when destroy ends, with its key pair and its address, and may be destroyed twice", async () => {
    const service = vm({ sshKeys: [key] }, { metadata: { floatingIp: true } });
    const { instanceId } = await takeAll(service);
    const { compute, network } = held.cloud;
    const tag = `landfall-${service.request.id}`;
    const left = () => [
      compute.servers.has(instanceId as string),
      compute.keyPairs.has(tag),
      network.floatingIps.some(({ description }) => description === tag),
    ];
    expect(left()).toEqual([true, true, true]);
    await openstack.destroy(service, never);
    expect(left()).toEqual([false, false, false]);
    await openstack.destroy(service, never);
  });

  test("leaves nothing when its allocation is undone, and keeps all while other steps are", async () => {
    const service = vm();
    const { instanceId } = await takeAll(service);
    for (const step of ["VERIFY", "ACTIVATE", "CONFIGURE"] as const)
      await openstack.undo(step, service, never);
    expect(held.cloud.compute.servers.has(instanceId as string)).toBe(true);
    await openstack.undo("ALLOCATE", service, never);
    expect(held.cloud.compute.servers.has(instanceId as string)).toBe(false);
  });

  test("tells what it uses", async () => {
    const service = vm();
    await takeAll(service);
    expect(await openstack.metrics(service, never)).toEqual({
      gauges: { memory_percent: 0 },
      counters: {
        cpu_percent: 1730,
        network_in_bps: 8 * 2_070_139,
        network_out_bps: 8 * 140_208,
        disk_read_iops: 112,
        disk_write_iops: 488,
      },
    });
  });

  test("that the cluster has no room for fails with NO_CAPACITY, and is undone", async () => {
    const service = vm({ vcpu: 200, memoryMb: 4_000_000, diskGb: 50_000 });
    const { instanceId } = await take(service, "ALLOCATE");
    expect(await codeOf(take(service, "CONFIGURE"))).toBe("NO_CAPACITY");
    await openstack.undo("ALLOCATE", service, never);
    expect(held.cloud.compute.servers.has(instanceId as string)).toBe(false);
  });

  test("that was removed behind our back says so", async () => {
    const service = vm();
    const { instanceId } = await takeAll(service);
    held.cloud.compute.servers.delete(instanceId as string);
    expect(await codeOf(openstack.suspend(service, never))).toBe("SERVER_MISSING");
    await openstack.destroy(service, never);
  });
});
