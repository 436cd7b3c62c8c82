import { isIPv6 } from "node:net";
import * as v from "valibot";
import { DriverError } from "../driver-error.ts";
import type { Cloud } from "./cloud.ts";
import { findOrMake, keepOne, removeAll } from "./made.ts";
import { type Resource, type Task, tagOf } from "./task.ts";

const timed = { id: v.string(), name: v.string(), created_at: v.optional(v.string(), "") };
const Network = v.pipe(
  v.object({
    ...timed,
    status: v.optional(v.string()),
    description: v.nullish(v.string(), ""),
    project_id: v.optional(v.string(), ""),
    shared: v.optional(v.boolean(), false),
    "router:external": v.optional(v.boolean(), false),
  }),
  v.transform(({ created_at, "router:external": external, ...rest }) => ({
    ...rest,
    external,
    since: created_at,
  })),
);
export type Network = v.InferOutput<typeof Network>;
const Subnet = v.pipe(
  v.object({ ...timed, network_id: v.string(), cidr: v.string(), gateway_ip: v.nullish(v.string(), null) }),
  v.transform(({ created_at, ...rest }) => ({ ...rest, since: created_at })),
);

/** NETWORK: a network with one subnet. Its description names the tenant that it belongs to. */
export const network: Resource = {
  steps: {
    async ALLOCATE(task) {
      const { tag, cloud, request } = task;
      const body = { network: { name: tag, description: request.tenantId } };
      const { id } = await findOrMake(
        task,
        () => networksOf(task),
        () => cloud.post("network", "/networks", body, v.unknown()),
      );
      return { networkId: id };
    },
    async CONFIGURE(task) {
      const { id } = await theNetwork(task);
      const cidr = String(task.request.specification["cidr"]);
      const ip_version = isIPv6(cidr.split("/")[0] as string) ? 6 : 4;
      const body = { subnet: { network_id: id, name: task.tag, cidr, ip_version } };
      const subnet = await findOrMake(
        task,
        () => subnetsOf(task, id),
        () => task.cloud.post("network", "/subnets", body, v.unknown()),
      );
      return { subnetId: subnet.id, cidr: subnet.cidr, gateway: subnet.gateway_ip };
    },
    async VERIFY(task) {
      const { id } = await theNetwork(task);
      const subnet = await keepOne(task, await subnetsOf(task, id), (orphan) =>
        removeAt(task, "subnets", orphan),
      );
      if (!subnet)
        throw new DriverError("NETWORK_MISSING", "The network has lost its addresses on the cluster.");
      return { networkId: id, subnetId: subnet.id, healthy: true };
    },
  },
  destroy: (task) =>
    removeAll(
      task,
      ["ALLOCATE"],
      () => networksOf(task),
      (each) => removeAt(task, "networks", each),
    ),
};

/** The networks that a query finds. */
export async function listNetworks(cloud: Cloud, query: string): Promise<Network[]> {
  return (await cloud.get("network", `/networks?${query}`, v.object({ networks: v.array(Network) })))
    .networks;
}

async function networksOf({ cloud, tag }: Task) {
  const found = await listNetworks(cloud, `name=${encodeURIComponent(tag)}`);
  return found.filter(({ name }) => name === tag);
}

async function subnetsOf({ cloud, tag }: Task, networkId: string) {
  const path = `/subnets?name=${encodeURIComponent(tag)}&network_id=${encodeURIComponent(networkId)}`;
  const { subnets } = await cloud.get("network", path, v.object({ subnets: v.array(Subnet) }));
  return subnets.filter(({ name, network_id }) => name === tag && network_id === networkId);
}

async function theNetwork(task: Task): Promise<Network> {
  const kept = await keepOne(task, await networksOf(task), (orphan) => removeAt(task, "networks", orphan));
  if (kept) return kept;
  throw new DriverError("NETWORK_MISSING", "The network is no longer on the cluster.");
}

const removeAt = ({ cloud }: Task, kind: "networks" | "subnets", { id }: { id: string }): Promise<unknown> =>
  cloud.delete("network", `/${kind}/${encodeURIComponent(id)}`);

/** Made for an order, so that it belongs to one tenant, though all share the project. */
const isOrdered = ({ name }: Network) => name.startsWith(tagOf(""));

/**
 * What a new server is told of networks: the one that its order names, else its cluster's, else the project's only
 * one, else what Nova finds. Never one that another tenant ordered; and an order alone does not lead to one outside.
 */
export async function networksFor(
  { cloud, request }: Task,
  wanted?: string,
): Promise<"auto" | { uuid: string }[]> {
  const own = cloud.settings.networkId;
  const known = await cloud.has("network");
  if (wanted && wanted !== own) {
    const [found] = known ? await usable(cloud, `id=${encodeURIComponent(wanted)}`) : [];
    if (found?.id === wanted && (!isOrdered(found) || found.description === request.tenantId))
      return [{ uuid: wanted }];
    throw new DriverError("NETWORK_NOT_FOUND", "The cluster has no network of this id.");
  }
  if (own) return [{ uuid: own }];
  if (!known) return "auto";
  const inner = await usable(cloud, "router:external=false");
  const free = inner.filter((each) => !isOrdered(each));
  if (free.length === 1) return free.map(({ id }) => ({ uuid: id }));
  if (free.length === inner.length) return "auto";
  throw new DriverError("NETWORK_REQUIRED", "A networkId must be given, here or in the cluster's metadata.");
}

/** Without those outside, and those of other projects, which an administrator sees as well. */
async function usable(cloud: Cloud, query: string): Promise<Network[]> {
  const own = await cloud.projectId();
  const found = await listNetworks(cloud, query);
  return found.filter(({ external, shared, project_id }) => !external && (shared || project_id === own));
}
