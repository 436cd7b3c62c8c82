import type { Cluster as ClusterState } from "../../schema/provisioning/cluster.ts";
import type { Cluster } from "../../schema/provisioning/cluster-bodies.ts";

/** A cluster as it is answered. */
export function clusterView({
  id,
  statusSince,
  version,
  createdAt,
  updatedAt,
  ...shown
}: ClusterState): Cluster {
  return { id, ...shown, version, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}
