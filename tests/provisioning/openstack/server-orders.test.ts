import { describe, expect, test } from "bun:test";
import { openstack } from "../../../src/provisioning/drivers/openstack.ts";
import { never, serviceOf, take, takeAll } from "./services.ts";
import { clusterOn, codeOf, machine, stage } from "./stage.ts";

const held = stage();
const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKl8n5oUe0uKMuxcAHX9Kq5Uc5sVnJ6Qyb0o2V1v2b3c ada";
const vm = (more: object = {}, request: object = {}) =>
  serviceOf(held.site, "VM", { ...machine, ...more }, request);
const created = () => held.cloud.callsOf("POST compute /v2.1/servers").filter(({ body }) => body.server);

describe("an order for a VM on OpenStack", () => {
  test("has a name of its own where none was ordered", async () => {
    const service = vm();
    expect(await takeAll(service)).toMatchObject({ hostname: `vm-${service.request.id.slice(-12)}` });
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

  test("has its floating address put back where it was taken off", async () => {
    const service = vm({}, { metadata: { floatingIp: true } });
    const { instanceId, ipAddress } = await takeAll(service);
    const floating = held.cloud.network.floatingIps.find(
      ({ floating_ip_address }) => floating_ip_address === ipAddress,
    );
    floating.port_id = null;
    expect(await take(service, "CONFIGURE")).toMatchObject({ ipAddress });
    expect(floating.port_id).toBe(`port-${instanceId}`);
  });

  test("says so where its floating address is lost on the way", async () => {
    const service = vm({}, { metadata: { floatingIp: true } });
    await takeAll(service);
    const lists = "GET network /v2.0/floatingips";
    held.cloud.trouble(lists, Promise.resolve(), 2);
    held.cloud.trouble(lists, { status: 200, body: { floatingips: [] } });
    expect(await codeOf(take(service, "CONFIGURE"))).toBe("ADDRESS_MISSING");
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

  test("never lands on a network outside, but where its cluster says so", async () => {
    const { id } = held.cloud.network.networks.find((each) => each["router:external"]);
    expect(await codeOf(take(vm({ networkId: id }), "ALLOCATE"))).toBe("NETWORK_NOT_FOUND");
    held.site = clusterOn(held.cloud, { networkId: id });
    await take(vm({ networkId: id }), "ALLOCATE");
    expect(created().map(({ body }) => body.server.networks)).toEqual([[{ uuid: id }]]);
  });

  test("never lands on a network that can't be looked up, for want of Neutron", async () => {
    const { networkId } = await takeAll(serviceOf(held.site, "NETWORK", { cidr: "10.9.0.0/24" }));
    held.cloud.hidden.add("network");
    held.site = clusterOn(held.cloud, { networkId: "cluster-network" });
    expect(await codeOf(take(vm({ networkId }), "ALLOCATE"))).toBe("NETWORK_NOT_FOUND");
    await take(vm(), "ALLOCATE");
    await take(vm({ networkId: "cluster-network" }), "ALLOCATE");
    expect(created().map(({ body }) => body.server.networks)).toEqual([
      [{ uuid: "cluster-network" }],
      [{ uuid: "cluster-network" }],
    ]);
    held.cloud.network.networks.pop();
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
});
