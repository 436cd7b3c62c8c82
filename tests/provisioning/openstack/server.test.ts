import { describe, expect, test } from "bun:test";
import { openstack } from "../../../src/provisioning/drivers/openstack.ts";
import { recorded } from "./cloud/recordings.ts";
import { never, serviceOf, take, takeAll } from "./services.ts";
import { clusterOn, codeOf, machine, stage } from "./stage.ts";

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

  test("has a name of its own where none was ordered", async () => {
    const service = vm();
    expect(await takeAll(service)).toMatchObject({ hostname: `vm-${service.request.id.slice(-12)}` });
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

  test("gets a floating address where it or its cluster asks for one", async () => {
    const wants: [metadata: object, cluster: object, floating: boolean][] = [
      [{ floatingIp: true }, {}, true],
      [{}, { assignFloatingIp: true }, true],
      [{ floatingIp: false }, { assignFloatingIp: true }, false],
      [{}, { floatingNetwork: "public", assignFloatingIp: true }, true],
      [{ floatingIp: "yes" }, {}, false],
    ];
    for (const [metadata, cluster, floating] of wants) {
      held.site = clusterOn(held.cloud, cluster);
      const { ipAddress } = await takeAll(vm({}, { metadata }));
      expect([metadata, cluster, String(ipAddress).startsWith("203.0.113.")]).toEqual([
        metadata,
        cluster,
        floating,
      ]);
    }
  });

  test("is put on the network that its order or its cluster names, else on the project's only one", async () => {
    const { networks } = held.cloud.network;
    const own = networks.find(({ name }) => name === "private").id;
    await take(vm({ networkId: own }), "ALLOCATE");
    held.site = clusterOn(held.cloud, { networkId: "cluster-network" });
    await take(vm(), "ALLOCATE");
    held.site = clusterOn(held.cloud);
    await take(vm(), "ALLOCATE");
    expect(created().map(({ body }) => body.server.networks)).toEqual([
      [{ uuid: own }],
      [{ uuid: "cluster-network" }],
      [{ uuid: own }],
    ]);
  });

  test("never lands on a network that another tenant ordered", async () => {
    const order = (tenantId: string) =>
      serviceOf(held.site, "NETWORK", { cidr: "10.9.0.0/24" }, { tenantId });
    const network = order("tenant-2");
    const { networkId } = await takeAll(network);
    expect(await codeOf(take(vm({ networkId }), "ALLOCATE"))).toBe("NETWORK_NOT_FOUND");
    const own = held.cloud.network.networks.findIndex(({ name }) => name === "private");
    const [kept] = held.cloud.network.networks.splice(own, 1);
    expect(await codeOf(take(vm(), "ALLOCATE"))).toBe("NETWORK_REQUIRED");
    held.cloud.network.networks.push(kept);
    expect(await take(vm({ networkId }, { tenantId: "tenant-2" }), "ALLOCATE")).toMatchObject({
      instanceId: expect.any(String),
    });
    await openstack.destroy(network, never);
  });

  test("never lands on a network of another project, which an administrator sees as well", async () => {
    const { networks } = held.cloud.network;
    const foreign = {
      ...networks.find(({ name }) => name === "private"),
      id: "foreign",
      project_id: "other",
    };
    networks.push(foreign);
    await take(vm(), "ALLOCATE");
    expect((created()[0] as any).body.server.networks).toHaveLength(1);
    expect(await codeOf(take(vm({ networkId: "foreign" }), "ALLOCATE"))).toBe("NETWORK_NOT_FOUND");
    foreign.shared = true;
    await take(vm({ networkId: "foreign" }), "ALLOCATE");
    networks.splice(networks.indexOf(foreign), 1);
  });

  test("takes the tenant's user data and keys", async () => {
    const service = vm({ sshKeys: [key], userData: "#!/bin/sh\nid\n" });
    await take(service, "ALLOCATE");
    const { user_data, key_name } = (created()[0] as any).body.server;
    expect(Buffer.from(user_data, "base64").toString()).toBe("#!/bin/sh\nid\n");
    expect(key_name).toBe(`landfall-${service.request.id}`);
  });

  test("goes into the security groups of its cluster", async () => {
    held.site = clusterOn(held.cloud, { securityGroups: ["ssh", "web"] });
    await take(vm(), "ALLOCATE");
    expect((created()[0] as any).body.server.security_groups).toEqual([{ name: "ssh" }, { name: "web" }]);
  });

  test("takes an image by its id as well", async () => {
    const [{ id }] = held.cloud.image.images;
    await take(vm({ image: id }), "ALLOCATE");
    expect((created()[0] as any).body.server.imageRef).toBe(id);
  });

  test("can do without Glance and Neutron, by what Nova knows of images and networks", async () => {
    for (const type of ["image", "network"]) held.cloud.hidden.add(type);
    const service = vm();
    await takeAll(service);
    expect((created()[0] as any).body.server.networks).toBe("auto");
    const [{ headers }] = held.cloud.callsOf("GET compute /v2.1/images/detail") as [any];
    expect(headers["openstack-api-version"]).toBe("compute 2.35");
    await openstack.destroy(service, never);
    expect(await codeOf(take(vm({ image: "plan-9" }), "ALLOCATE"))).toBe("IMAGE_NOT_FOUND");
    expect(await codeOf(take(vm({}, { metadata: { floatingIp: true } }), "CONFIGURE"))).toBe(
      "SERVER_MISSING",
    );
  });

  test("needs Neutron for a floating address", async () => {
    held.cloud.hidden.add("network");
    const service = vm({}, { metadata: { floatingIp: true } });
    await take(service, "ALLOCATE");
    expect(await codeOf(take(service, "CONFIGURE"))).toBe("SERVICE_MISSING");
    await openstack.undo("ALLOCATE", service, never);
  });

  const refused: [what: string, specification: object, code: string][] = [
    ["an image that is not there", { image: "plan-9" }, "IMAGE_NOT_FOUND"],
    ["an image id that is not there", { image: "00000000-0000-4000-8000-000000000000" }, "IMAGE_NOT_FOUND"],
    ["a path for an image", { image: "../flavors" }, "IMAGE_NOT_FOUND"],
    ["a size that no flavor has", { vcpu: 200, memoryMb: 4_194_304, diskGb: 65_536 }, "NO_FLAVOR"],
    ["a network that is not there", { networkId: "../v2.0/ports" }, "NETWORK_NOT_FOUND"],
    ["a key that is none", { sshKeys: ["nonsense"] }, "INVALID_SSH_KEY"],
    ["too much user data", { userData: "x".repeat(60_000) }, "USER_DATA_TOO_LARGE"],
  ];
  for (const [what, specification, code] of refused)
    test(`is not begun with ${what}`, async () => {
      const service = vm(specification);
      expect(await codeOf(take(service, "ALLOCATE"))).toBe(code);
      expect(created()).toEqual([]);
      await openstack.undo("ALLOCATE", service, never);
      expect(held.cloud.compute.keyPairs.has(`landfall-${service.request.id}`)).toBe(false);
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
