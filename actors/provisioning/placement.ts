import type { Amounts } from "../../schema/provisioning/amounts.ts";
import { type Cluster, capacityNames } from "../../schema/provisioning/cluster.ts";
import type { ResourceType } from "../../schema/provisioning/specification.ts";

/**
 * The cluster for a request, of all of them, the oldest first: a default one that takes its type, is in its region
 * and has room, else the least used that does; null when none does. How much a cluster is used is the share of its
 * fullest capacity, among equals the number of its instances.
 */
export function place(
  clusters: readonly Cluster[],
  { resourceType, specification }: { resourceType: ResourceType; specification: { region?: unknown } },
  amounts: Amounts,
): Cluster | null {
  // The specification of a MANUAL request is the tenant's own: nothing in it has a meaning here.
  const region = resourceType === "MANUAL" ? undefined : specification.region;
  let best: Candidate | null = null;
  for (const cluster of clusters) {
    const fits =
      cluster.provisioningEnabled &&
      (region === undefined || cluster.region === region) &&
      (cluster.supportedResourceTypes?.includes(resourceType) ?? true) &&
      hasRoom(cluster, amounts);
    if (!fits) continue;
    if (cluster.isDefault) return cluster;
    const candidate = { cluster, share: fullestShare(cluster) };
    if (!best || isLessUsed(candidate, best)) best = candidate;
  }
  return best?.cluster ?? null;
}

const hasRoom = ({ capacity, used }: Cluster, amounts: Amounts) =>
  capacityNames.every(
    (name) => amounts[name] === 0 || used[name] + amounts[name] <= (capacity[name] ?? Infinity),
  );

interface Candidate {
  cluster: Cluster;
  share: number;
}
const isLessUsed = (a: Candidate, b: Candidate): boolean =>
  a.share === b.share ? a.cluster.used.instances < b.cluster.used.instances : a.share < b.share;

/** 0 where nothing is limited. */
const fullestShare = ({ capacity, used }: Cluster) =>
  capacityNames.reduce((most, name) => Math.max(most, capacity[name] ? used[name] / capacity[name] : 0), 0);
