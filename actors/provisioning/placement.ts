import { eq } from "drizzle-orm";
import { type Cluster, clusters } from "../../schema/provisioning/cluster.ts";
import type { ResourceType } from "../../schema/provisioning/specification.ts";
import type { Fact } from "../runtime/actor.ts";

/** The clusters that take new requests, the oldest first. */
export const openClusters: Fact<null, Cluster[]> = {
  async read(db) {
    const open = await db
      .select()
      .from(clusters)
      .where(eq(clusters.provisioningEnabled, true))
      .orderBy(clusters.createdAt, clusters.id);
    return () => open;
  },
};

/** The cluster for a request: the default one when it fits, else the oldest that does; null when none does. */
export function place(
  open: Cluster[],
  type: ResourceType,
  specification: Record<string, unknown>,
): Cluster | null {
  const { region } = specification;
  const fitting = open.filter(
    (cluster) =>
      (cluster.supportedResourceTypes?.includes(type) ?? true) &&
      (region === undefined || cluster.region === region),
  );
  return fitting.find((cluster) => cluster.isDefault) ?? fitting[0] ?? null;
}
