import * as v from "valibot";
import type { Step } from "../../../../schema/provisioning/request.ts";
import { DriverError } from "../driver-error.ts";
import { findOrMake, keepOne, removeAll } from "./made.ts";
import { listNetworks } from "./network.ts";
import type { Resource, Task } from "./task.ts";

const FloatingIp = v.pipe(
  v.object({
    id: v.string(),
    floating_ip_address: v.string(),
    port_id: v.nullish(v.string(), null),
    description: v.nullish(v.string(), ""),
    created_at: v.optional(v.string(), ""),
  }),
  v.transform(({ created_at, floating_ip_address, port_id, ...rest }) => ({
    ...rest,
    address: floating_ip_address,
    portId: port_id,
    since: created_at,
  })),
);
type FloatingIp = v.InferOutput<typeof FloatingIp>;

/** FLOATING_IP: an address of the external network, which has no name but a description. */
export const floatingIp: Resource = {
  steps: {
    async ALLOCATE(task) {
      if (task.request.specification["family"] !== 4)
        throw new DriverError("UNSUPPORTED", "OpenStack has floating addresses of IPv4 alone.");
      const { id, address } = await obtain(task, {});
      return { floatingIpId: id, ipAddress: address };
    },
    async VERIFY(task) {
      const { id, address } = await theAddress(task);
      return { floatingIpId: id, ipAddress: address, healthy: true };
    },
  },
  destroy: (task) => release(task, ["ALLOCATE"]),
};

/** Whether a machine gets a floating address: as its order says, else as its cluster does. */
export const wantsAddress = ({ request, cloud }: Task): boolean => {
  const asked = request.metadata["floatingIp"];
  return typeof asked === "boolean" ? asked : cloud.settings.assignFloatingIp;
};

/** The floating address of a server; obtained and put there where it is not. */
export async function addressFor(task: Task, serverId: string) {
  const portId = await task.cloud.until(() => portOf(task, serverId));
  await obtain(task, { port_id: portId });
  const { id, address, portId: current } = await theAddress(task);
  if (current !== portId)
    await task.cloud.put("network", `/floatingips/${encodeURIComponent(id)}`, {
      floatingip: { port_id: portId },
    });
  return { floatingIpId: id, ipAddress: address };
}

/** Gives back what a machine has; clouds without Neutron have given none. */
export async function releaseAddresses(task: Task): Promise<void> {
  if (await task.cloud.has("network")) await release(task, wantsAddress(task) ? ["CONFIGURE", "VERIFY"] : []);
}

const release = (task: Task, steps: Step[]): Promise<void> =>
  removeAll(
    task,
    steps,
    () => floatingIps(task),
    (each) => remove(task, each),
  );

/** The request's address; others are removed. */
async function theAddress(task: Task): Promise<FloatingIp> {
  const kept = await keepOne(task, await floatingIps(task), (orphan) => remove(task, orphan));
  if (kept) return kept;
  throw new DriverError("ADDRESS_MISSING", "The address is no longer on the cluster.");
}

const obtain = (task: Task, where: { port_id?: string }): Promise<FloatingIp> =>
  findOrMake(
    task,
    () => floatingIps(task),
    async () => {
      const floatingip = {
        floating_network_id: await externalNetwork(task),
        description: task.tag,
        ...where,
      };
      await task.cloud.post("network", "/floatingips", { floatingip }, v.unknown());
    },
  );

async function floatingIps({ cloud, tag }: Task): Promise<FloatingIp[]> {
  const path = `/floatingips?description=${encodeURIComponent(tag)}`;
  const { floatingips } = await cloud.get("network", path, v.object({ floatingips: v.array(FloatingIp) }));
  return floatingips.filter(({ description }) => description === tag);
}

const remove = ({ cloud }: Task, { id }: FloatingIp): Promise<unknown> =>
  cloud.delete("network", `/floatingips/${encodeURIComponent(id)}`);

const Ports = v.object({
  ports: v.array(
    v.object({ id: v.string(), fixed_ips: v.optional(v.array(v.object({ ip_address: v.string() })), []) }),
  ),
});

/** The port of a server that a floating address can be put on: one with IPv4. */
async function portOf({ cloud }: Task, serverId: string): Promise<string | undefined> {
  const { ports } = await cloud.get("network", `/ports?device_id=${encodeURIComponent(serverId)}`, Ports);
  if (ports.length === 0) return undefined;
  const port = ports.find(({ fixed_ips }) => fixed_ips.some(({ ip_address }) => !ip_address.includes(":")));
  if (port) return port.id;
  throw new DriverError("NETWORK_NOT_REACHABLE", "The machine has no IPv4 address to put a floating one on.");
}

async function externalNetwork({ cloud }: Task): Promise<string> {
  const { floatingNetwork } = cloud.settings;
  const external = await listNetworks(cloud, "router:external=true");
  const fitting = floatingNetwork
    ? external.filter(({ id, name }) => id === floatingNetwork || name === floatingNetwork)
    : external;
  if (fitting.length === 1) return (fitting[0] as { id: string }).id;
  throw new DriverError(
    "NETWORK_NOT_FOUND",
    "The cluster's metadata.floatingNetwork must name one external network.",
  );
}
