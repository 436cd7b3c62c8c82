import { describe, expect, test } from "bun:test";
import { openstack } from "../../../src/provisioning/drivers/openstack.ts";
import { recorded } from "./cloud/recordings.ts";
import { never, serviceOf, take, takeAll } from "./services.ts";
import { clusterOn, codeOf, machine, stage } from "./stage.ts";

const held = stage();
const order = (
  type: "VM" | "VOLUME" | "NETWORK" | "FLOATING_IP",
  specification: object,
  tenantId = "tenant-1",
) => serviceOf(held.site, type, { ...specification }, { tenantId });

describe("a VOLUME on OpenStack", () => {
  const shown = (id: unknown) => held.cloud.volume.volumes.get(id as string)?.shown;

  test("is made, and gone when destroy ends", async () => {
    const service = order("VOLUME", { sizeGb: 10, volumeType: "standard" });
    const { volumeId, sizeGb } = await takeAll(service);
    expect([sizeGb, shown(volumeId)]).toMatchObject([
      10,
      { status: "available", size: 10, volume_type: "standard", metadata: { landfall_tenant: "tenant-1" } },
    ]);
    await openstack.suspend(service, never);
    await openstack.resume(service, never);
    expect(await openstack.metrics(service, never)).toEqual({ gauges: {}, counters: {} });
    await openstack.destroy(service, never);
    expect(shown(volumeId)).toBeUndefined();
  });

  test("is attached to a machine of its tenant, and detached before it is removed", async () => {
    const { instanceId } = await takeAll(order("VM", machine));
    const service = order("VOLUME", { sizeGb: 1, attachTo: instanceId });
    expect(await takeAll(service)).toMatchObject({
      attachedTo: instanceId,
      device: "/dev/sdb",
      healthy: true,
    });
    await openstack.step("CONFIGURE", service, never);
    expect(held.cloud.callsOf(`POST compute /v2.1/servers/${instanceId}/os-volume`)).toHaveLength(1);
    await openstack.destroy(service, never);
    expect(held.cloud.volume.volumes.size).toBe(0);
  });

  test("is never attached to another tenant's machine, and then not even made", async () => {
    const { instanceId } = await takeAll(order("VM", machine, "tenant-2"));
    for (const attachTo of [instanceId, "00000000-0000-4000-8000-000000000000", "../flavors", "detail"])
      expect(await codeOf(take(order("VOLUME", { sizeGb: 1, attachTo }), "ALLOCATE"))).toBe(
        "SERVER_NOT_FOUND",
      );
    expect(held.cloud.callsOf("POST volume")).toEqual([]);
  });

  test("that Cinder could not make fails", async () => {
    const service = order("VOLUME", { sizeGb: 1 });
    const { volumeId } = await take(service, "ALLOCATE");
    held.cloud.volume.volumes.get(volumeId as string)!.underWay = undefined;
    shown(volumeId).status = "error";
    expect(await codeOf(take(service, "CONFIGURE"))).toBe("BUILD_FAILED");
    await openstack.undo("ALLOCATE", service, never);
    expect(shown(volumeId)).toBeUndefined();
  });

  test("that Cinder could not delete says so", async () => {
    const service = order("VOLUME", { sizeGb: 1 });
    const { volumeId } = await takeAll(service);
    shown(volumeId).status = "error_deleting";
    expect(await codeOf(openstack.destroy(service, never))).toBe("DELETE_FAILED");
    shown(volumeId).status = "available";
    await openstack.destroy(service, never);
  });

  const lost: [what: string, attachments: object[]][] = [
    ["nothing", []],
    ["a machine that Nova does not know", [{ server_id: "00000000-0000-4000-8000-000000000000" }]],
  ];
  for (const [what, attachments] of lost)
    test(`that hangs on ${what} is not removed, and says so; when it is free it goes`, async () => {
      const service = order("VOLUME", { sizeGb: 1 });
      const { volumeId } = await takeAll(service);
      Object.assign(shown(volumeId), { status: "in-use", attachments });
      const detach = "DELETE compute /v2.1/servers/00000000";
      held.cloud.trouble(detach, recorded("server-gone"), 99);
      expect(await codeOf(openstack.destroy(service, never))).toBe("DETACH_FAILED");
      const become = () => Object.assign(shown(volumeId), { status: "available", attachments: [] });
      held.cloud.volume.volumes.get(volumeId as string)!.underWay = { looks: 1, become };
      await openstack.destroy(service, never);
      expect(shown(volumeId)).toBeUndefined();
    });

  test("that Nova does not attach, though it took the order, fails; it is asked once", async () => {
    const { instanceId } = await takeAll(order("VM", machine));
    const service = order("VOLUME", { sizeGb: 1, attachTo: instanceId });
    await take(service, "ALLOCATE");
    const attach = `POST compute /v2.1/servers/${instanceId}/os-volume`;
    held.cloud.trouble(attach, recorded("attach"), 99);
    expect(await codeOf(take(service, "CONFIGURE"))).toBe("ATTACH_FAILED");
    expect(held.cloud.callsOf(attach)).toHaveLength(1);
  });

  test("is attached to its machine however the id is written", async () => {
    const { instanceId } = await takeAll(order("VM", machine));
    held.cloud.trouble(
      `GET compute /v2.1/servers/${String(instanceId).toUpperCase()}`,
      { status: 200, body: { server: held.cloud.compute.servers.get(instanceId as string)?.shown } },
      99,
    );
    const service = order("VOLUME", { sizeGb: 1, attachTo: String(instanceId).toUpperCase() });
    expect(await takeAll(service)).toMatchObject({ attachedTo: instanceId, healthy: true });
  });

  test("of an unknown type or beyond the quota is refused", async () => {
    const unknown = order("VOLUME", { sizeGb: 1, volumeType: "nope" });
    expect(await codeOf(take(unknown, "ALLOCATE"))).toBe("VOLUME_TYPE_NOT_FOUND");
    held.cloud.trouble("POST volume", recorded("volume-quota"));
    expect(await codeOf(take(order("VOLUME", { sizeGb: 1 }), "ALLOCATE"))).toBe("QUOTA_EXCEEDED");
  });
});

describe("a NETWORK on OpenStack", () => {
  for (const [cidr, version] of [
    ["10.7.0.0/24", 4],
    ["2001:db8::/64", 6],
  ] as const)
    test(`has one subnet of ${cidr}, and goes as a whole`, async () => {
      const service = order("NETWORK", { cidr });
      const { networkId, subnetId } = await takeAll(service);
      const { networks, subnets } = held.cloud.network;
      const subnet = subnets.find(({ id }) => id === subnetId);
      expect(subnet).toMatchObject({ network_id: networkId, cidr, ip_version: version });
      await openstack.destroy(service, never);
      expect(networks.some(({ id }) => id === networkId)).toBe(false);
    });

  test("that is still in use is not removed, and says so", async () => {
    const service = order("NETWORK", { cidr: "10.6.0.0/24" });
    const { networkId } = await takeAll(service);
    held.cloud.trouble(`DELETE network /v2.0/networks/${networkId}`, recorded("network-in-use"));
    expect(await codeOf(openstack.destroy(service, never))).toBe("IN_USE");
    await openstack.destroy(service, never);
  });
});

describe("a FLOATING_IP on OpenStack", () => {
  test("is an address of the external network, and given back", async () => {
    const service = order("FLOATING_IP", { family: 4 });
    const { floatingIpId, ipAddress } = await takeAll(service);
    expect(ipAddress).toMatch(/^203\.0\.113\.\d+$/);
    await openstack.destroy(service, never);
    expect(held.cloud.network.floatingIps.some(({ id }) => id === floatingIpId)).toBe(false);
  });

  test("of IPv6 is not offered", async () => {
    expect(await codeOf(take(order("FLOATING_IP", { family: 6 }), "ALLOCATE"))).toBe("UNSUPPORTED");
  });

  test("needs one external network, by the name or id that the cluster gives", async () => {
    const { networks } = held.cloud.network;
    const external = networks.find((each) => each["router:external"]);
    const second = { ...external, id: "second", name: "public-2" };
    networks.push(second);
    const allocate = (floatingNetwork?: string) =>
      take(
        serviceOf(clusterOn(held.cloud, floatingNetwork ? { floatingNetwork } : {}), "FLOATING_IP", {
          family: 4,
        }),
        "ALLOCATE",
      );
    expect(await codeOf(allocate())).toBe("NETWORK_NOT_FOUND");
    expect(await codeOf(allocate("private"))).toBe("NETWORK_NOT_FOUND");
    await allocate("public-2");
    await allocate(external.id);
    const asked = held.cloud.callsOf("POST network /v2.0/floatingips");
    expect(asked.map(({ body }) => body.floatingip.floating_network_id)).toEqual(["second", external.id]);
    networks.splice(networks.indexOf(second), 1);
  });

  test("beyond the quota is refused", async () => {
    held.cloud.trouble("POST network /v2.0/floatingips", recorded("floating-quota"));
    expect(await codeOf(take(order("FLOATING_IP", { family: 4 }), "ALLOCATE"))).toBe("QUOTA_EXCEEDED");
  });
});
