import { describe, expect, test } from "bun:test";
import type { ResourceType } from "../../../schema/provisioning/specification.ts";
import { openstack } from "../../../src/provisioning/drivers/openstack.ts";
import { eventually } from "../../streams/bus.ts";
import { begin, never, serviceOf, take, takeAll } from "./services.ts";
import { clusterOn, expectAway, machine, stage } from "./stage.ts";

const held = stage();
const vm = (site = held.site) => serviceOf(site, "VM", machine);
const serversOf = ({ request }: { request: { id: string } }) =>
  [...held.cloud.compute.servers.values()].filter(({ shown }) =>
    shown.tags.includes(`landfall-${request.id}`),
  );
const creations = () => held.cloud.callsOf("POST compute /v2.1/servers").filter(({ body }) => body.server);

/** Time for many looks. */
const aWhile = () => Bun.sleep(25);

describe("what a crash left behind", () => {
  test("is found by its tag, where the connection broke after the server was made", async () => {
    const service = vm();
    // A connection that has been used before is the one that a client might try again by itself.
    await openstack.probe(held.site, never);
    const met = held.cloud.trouble("POST compute /v2.1/servers", "cut after");
    await expectAway(take(service, "ALLOCATE"));
    await met;
    expect([creations().length, serversOf(service).length]).toEqual([1, 1]);
    const { instanceId } = await takeAll(service);
    expect([creations().length, serversOf(service).length]).toEqual([1, 1]);
    expect(instanceId).toBe(serversOf(service)[0]?.shown.id);
  });

  test("is found where Nova answered too late", async () => {
    const service = vm();
    const { metadata } = held.site;
    const hasty = { ...held.site, metadata: { ...metadata, callTimeoutSeconds: 0.3 } };
    held.cloud.trouble("POST compute /v2.1/servers", "hang after");
    await expectAway(take({ ...service, site: hasty }, "ALLOCATE"));
    await takeAll(service);
    expect([creations().length, serversOf(service).length]).toEqual([1, 1]);
  });

  test("is one server, however many workers allocate at once", async () => {
    const service = vm();
    const brought = await Promise.all(
      Array.from({ length: 5 }, () => openstack.step("ALLOCATE", service, never)),
    );
    expect(new Set(brought.map(({ output }) => output["instanceId"])).size).toBe(1);
    expect(serversOf(service)).toHaveLength(1);
  });

  test("is made one where two workers on two machines made two: the oldest stays", async () => {
    const service = vm();
    const { instanceId } = await take(service, "ALLOCATE");
    const wanted = (creations()[0] as any).body.server;
    const younger = held.cloud.compute.create(wanted);
    const brought = await takeAll(service);
    expect(brought["instanceId"]).toBe(instanceId);
    const removed = held.cloud.callsOf("DELETE compute /v2.1/servers").map(({ path }) => path);
    expect(new Set(removed)).toEqual(new Set([`/v2.1/servers/${younger}`]));
  });

  test("goes with the rest: destroy removes all that carries the tag", async () => {
    const service = vm();
    await take(service, "ALLOCATE");
    const wanted = (creations()[0] as any).body.server;
    held.cloud.compute.create(wanted);
    held.cloud.compute.create(wanted);
    await openstack.destroy(service, never);
    expect(serversOf(service)).toEqual([]);
  });

  test("is looked for again where a step was cut off and nothing was seen at first", async () => {
    const service = vm(clusterOn(held.cloud, { callTimeoutSeconds: 0.3 }));
    await take(service, "ALLOCATE");
    begin(service, "ALLOCATE");
    held.cloud.trouble("GET compute /v2.1/servers/detail", { status: 200, body: { servers: [] } });
    await openstack.destroy(service, never);
    expect(serversOf(service)).toEqual([]);
  });

  test("is not taken for the new server while it is being deleted", async () => {
    const service = vm();
    const { instanceId } = await take(service, "ALLOCATE");
    held.cloud.pace.looks = 1000;
    await fetch(held.cloud.authUrl.replace("/identity/v3", `/compute/v2.1/servers/${instanceId}`), {
      method: "DELETE",
      headers: { "X-Auth-Token": String(creations()[0]?.headers["x-auth-token"]) },
    });
    held.cloud.pace.looks = 1;
    const brought = await takeAll(service);
    expect(brought["instanceId"]).not.toBe(instanceId);
  });

  test("is removed though it is made while its request is being undone", async () => {
    const service = vm();
    const stopped = new AbortController();
    const released = Promise.withResolvers<void>();
    const sent = held.cloud.trouble("POST compute /v2.1/servers", released.promise);
    const step = openstack.step("ALLOCATE", service, stopped.signal).catch((error) => error);
    await sent;
    // The step's time is up while the order for the server is on its way.
    const late = new Error("late");
    stopped.abort(late);
    const undone = openstack.undo("ALLOCATE", service, never);
    await aWhile();
    released.resolve();
    await undone;
    expect(await step).toBe(late);
    expect([creations().length, serversOf(service).length]).toEqual([1, 0]);
  });

  test("runs in the end, where it is started while the order to stop it is on its way", async () => {
    const service = vm();
    const { instanceId } = await takeAll(service);
    const stopped = new AbortController();
    const released = Promise.withResolvers<void>();
    const action = `POST compute /v2.1/servers/${instanceId}/action`;
    const sent = held.cloud.trouble(action, released.promise);
    const suspended = openstack.suspend(service, stopped.signal).catch((error) => error);
    await sent;
    stopped.abort(new Error("It was ordered again."));
    const resumed = openstack.resume(service, never);
    await aWhile();
    released.resolve();
    await Promise.all([suspended, resumed]);
    expect(held.cloud.callsOf(action).map(({ body }) => Object.keys(body))).toEqual([
      ["os-stop"],
      ["os-start"],
    ]);
    expect(serversOf(service)[0]?.shown.status).toBe("ACTIVE");
  });

  test("keeps the server that the tenant was told of, though an older one turns up", async () => {
    const service = vm();
    const { instanceId } = await takeAll(service);
    const wanted = (creations()[0] as any).body.server;
    const other = held.cloud.compute.create(wanted);
    const shown = held.cloud.compute.servers.get(other)?.shown;
    shown.created = "2020-01-01T00:00:00Z";
    await openstack.suspend(service, never);
    const status = (id: unknown) => held.cloud.compute.servers.get(id as string)?.shown.status;
    expect([status(instanceId), status(other)]).toEqual(["SHUTOFF", "ACTIVE"]);
  });

  const older = { created: "2020-01-01T00:00:00Z", created_at: "2020-01-01T00:00:00Z" };
  const kinds: [ResourceType, specification: object, told: string, all: () => any[]][] = [
    ["VM", machine, "instanceId", () => [...held.cloud.compute.servers.values()].map(({ shown }) => shown)],
    ["VM", machine, "floatingIpId", () => held.cloud.network.floatingIps],
    [
      "VOLUME",
      { sizeGb: 1 },
      "volumeId",
      () => [...held.cloud.volume.volumes.values()].map(({ shown }) => shown),
    ],
    ["NETWORK", { cidr: "10.8.0.0/24" }, "networkId", () => held.cloud.network.networks],
    ["NETWORK", { cidr: "10.8.0.0/24" }, "subnetId", () => held.cloud.network.subnets],
    ["FLOATING_IP", { family: 4 }, "floatingIpId", () => held.cloud.network.floatingIps],
  ];
  for (const [type, specification, told, all] of kinds)
    test(`does not take the place of the ${told} that a ${type} was told of, and goes`, async () => {
      const service = serviceOf(held.site, type, { ...specification }, { metadata: { floatingIp: true } });
      const brought = await takeAll(service);
      const { compute, volume } = held.cloud;
      const own = all().find(({ id }) => id === brought[told]);
      const twin = { ...own, ...older, id: Bun.randomUUIDv7() };
      if (told === "instanceId") compute.servers.set(twin.id, { shown: twin });
      else if (told === "volumeId") volume.volumes.set(twin.id, { shown: twin });
      else all().push(twin);
      expect((await take(service, "VERIFY"))[told]).toBe(brought[told]);
      await eventually(async () => {
        await take(service, "VERIFY");
        return !all().includes(twin);
      });
      expect(all()).toContain(own);
    });

  test("is told from the servers of others, should Nova pass over the filter", async () => {
    const other = vm();
    await takeAll(other);
    const all = [...held.cloud.compute.servers.values()].map(({ shown }) => shown);
    held.cloud.trouble("GET compute /v2.1/servers/detail", { status: 200, body: { servers: all } }, 2);
    await openstack.destroy(vm(), never);
    expect(held.cloud.callsOf("DELETE compute /v2.1/servers")).toEqual([]);
    expect(serversOf(other)).toHaveLength(1);
  });

  test("is one volume, one network and one address as well", async () => {
    const orders = [
      serviceOf(held.site, "VOLUME", { sizeGb: 10 }),
      serviceOf(held.site, "NETWORK", { cidr: "10.8.0.0/24" }),
      serviceOf(held.site, "FLOATING_IP", { family: 4 }),
    ];
    for (const path of ["volume /v3", "network /v2.0/networks", "network /v2.0/floatingips"])
      held.cloud.trouble(`POST ${path}`, "cut after");
    for (const service of orders) {
      await expectAway(take(service, "ALLOCATE"));
      await takeAll(service);
    }
    const { volume, network } = held.cloud;
    const tags = orders.map(({ request }) => `landfall-${request.id}`);
    const counts = [
      [...volume.volumes.values()].filter(({ shown }) => shown.name === tags[0]).length,
      network.networks.filter(({ name }) => name === tags[1]).length,
      network.subnets.filter(({ name }) => name === tags[1]).length,
      network.floatingIps.filter(({ description }) => description === tags[2]).length,
    ];
    expect(counts).toEqual([1, 1, 1, 1]);
  });
});
