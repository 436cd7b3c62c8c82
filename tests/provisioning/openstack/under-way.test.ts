import { describe, expect, test } from "bun:test";
import type { RequestState, Step } from "../../../schema/provisioning/request.ts";
import type { ResourceType } from "../../../schema/provisioning/specification.ts";
import type { Service } from "../../../src/provisioning/drivers/driver.ts";
import { openstack } from "../../../src/provisioning/drivers/openstack.ts";
import { eventually } from "../../streams/bus.ts";
import { begin, elsewhere, never, serviceOf, take, takeAll } from "./services.ts";
import { clusterOn, machine, stage } from "./stage.ts";

const held = stage();
const servers = () => [...held.cloud.compute.servers.values()].map(({ shown }) => shown);
const volumes = () => [...held.cloud.volume.volumes.values()].map(({ shown }) => shown);
const vm = (more: Partial<RequestState> = {}, site = held.site) => serviceOf(site, "VM", machine, more);
const list = "GET compute /v2.1/servers/detail";

/** Has a call begun that is on its way until it is released, though whoever wanted it has gone. */
async function cutOff(path: string, act: (signal: AbortSignal) => Promise<unknown>) {
  const stopped = new AbortController();
  const released = Promise.withResolvers<void>();
  const sent = held.cloud.trouble(path, released.promise);
  const ended = act(stopped.signal).catch(() => {});
  await sent;
  stopped.abort(new Error("It was ordered again."));
  return { release: released.resolve, ended };
}

describe("a service with a call under way that can't be cut off", () => {
  /** What is on its way, and how it came to that. */
  const calls: Record<
    string,
    () => Promise<[Service, path: string, act: (signal: AbortSignal) => Promise<unknown>]>
  > = {
    "the creation of a machine": async () => {
      const service = vm();
      return [service, "POST compute /v2.1/servers", (signal) => openstack.step("ALLOCATE", service, signal)];
    },
    "an order to stop a machine": async () => {
      const service = vm();
      const { instanceId } = await takeAll(service);
      const action = `POST compute /v2.1/servers/${instanceId}/action`;
      return [service, action, (signal) => openstack.suspend(service, signal)];
    },
    "an order to attach a volume": async () => {
      const { instanceId } = await takeAll(vm());
      const service = serviceOf(held.site, "VOLUME", { sizeGb: 1, attachTo: instanceId });
      await take(service, "ALLOCATE");
      const attach = `POST compute /v2.1/servers/${instanceId}/os-volume`;
      return [service, attach, (signal) => openstack.step("CONFIGURE", service, signal)];
    },
  };
  for (const [what, prepare] of Object.entries(calls))
    test(`is not idle before ${what} is over`, async () => {
      const [service, path, act] = await prepare();
      await openstack.idle?.(service);
      const { release, ended } = await cutOff(path, act);
      const idle = openstack.idle?.(service).then(() => "idle");
      expect(await Promise.race([idle, Bun.sleep(25).then(() => "busy")])).toBe("busy");
      release();
      expect(await idle).toBe("idle");
      await ended;
    });
});

describe("what is made late", () => {
  const kinds: [type: ResourceType, specification: object, step: Step, path: string, all: () => any[]][] = [
    ["VM", machine, "ALLOCATE", "compute /v2.1/servers", servers],
    ["VM", machine, "CONFIGURE", "network /v2.0/floatingips", () => held.cloud.network.floatingIps],
    ["VOLUME", { sizeGb: 1 }, "ALLOCATE", "volume /v3", volumes],
    [
      "NETWORK",
      { cidr: "10.8.0.0/24" },
      "ALLOCATE",
      "network /v2.0/networks",
      () => held.cloud.network.networks,
    ],
    [
      "FLOATING_IP",
      { family: 4 },
      "ALLOCATE",
      "network /v2.0/floatingips",
      () => held.cloud.network.floatingIps,
    ],
  ];
  for (const [type, specification, step, path, all] of kinds)
    for (const process of ["this", "another"])
      test(`for ${step} of a ${type} (${path}) is removed with it, by ${process} process`, async () => {
        const before = all().length;
        const more = { metadata: { floatingIp: true } };
        const service = serviceOf(held.site, type, { ...specification }, more);
        if (step === "CONFIGURE") await take(service, "ALLOCATE");
        begin(service, step);
        const { release, ended } = await cutOff(`POST ${path}`, (signal) =>
          openstack.step(step, service, signal),
        );
        const looks = () => held.cloud.callsOf(`GET ${path}`).length;
        const seen = looks();
        const destroyed = openstack.destroy(process === "this" ? service : elsewhere(service), never);
        if (process === "another") await eventually(() => looks() > seen + 3);
        release();
        await destroyed;
        await ended;
        expect(all()).toHaveLength(before);
      });

  const settled: [what: string, request: (service: Service) => unknown][] = [
    ["never begun", () => {}],
    [
      "done",
      ({ request }) =>
        Object.assign(request.steps[0]!, { startedAt: "2026-01-01T00:00:00Z", output: { instanceId: "x" } }),
    ],
    [
      "refused",
      ({ request }) =>
        Object.assign(request.steps[0]!, {
          startedAt: "2026-01-01T00:00:00Z",
          error: { code: "NO_FLAVOR", message: "" },
        }),
    ],
  ];
  for (const [what, come] of settled)
    test(`is not waited for where its step was ${what}`, async () => {
      const service = vm();
      come(service);
      await openstack.destroy(service, never);
      expect(held.cloud.callsOf(list)).toHaveLength(1);
    });

  const open: [what: string, request: (service: Service) => unknown][] = [
    ["cut off", (service) => begin(service, "ALLOCATE")],
    [
      "too slow",
      (service) =>
        Object.assign(begin(service, "ALLOCATE"), { error: { code: "STEP_TIMEOUT", message: "" } }),
    ],
    ["left by an earlier attempt", ({ request }) => request.leftovers.push("ALLOCATE")],
  ];
  for (const [what, come] of open)
    test(`is waited for as long as a call may take where its step was ${what}`, async () => {
      const service = vm({}, clusterOn(held.cloud, { callTimeoutSeconds: 0.1 }));
      come(service);
      await openstack.destroy(service, never);
      expect(held.cloud.callsOf(list).length).toBeGreaterThan(2);
    });

  test("is not waited for longer than half a step's time", async () => {
    const service = vm({}, clusterOn(held.cloud, { stepTimeoutSeconds: 0.2 }));
    begin(service, "ALLOCATE");
    await openstack.destroy(service, AbortSignal.timeout(4000));
  });
});
