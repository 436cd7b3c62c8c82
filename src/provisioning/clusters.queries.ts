import * as v from "valibot";
import { type Cluster as ClusterState, clusters, clusterTypes } from "../../schema/provisioning/cluster.ts";
import type { Cluster } from "../../schema/provisioning/cluster-bodies.ts";
import type { World } from "../../schema/world.ts";
import type { Call } from "../http/call.ts";
import { findRecord, only } from "../http/finding.ts";
import { listPage, listQuery } from "../http/paging.ts";
import { clusterView } from "./clusters.views.ts";

/** What the list of clusters can be asked for. */
export const ListClusters = listQuery(["-createdAt", "createdAt", "name", "-name"], {
  type: v.optional(v.pipe(v.picklist(clusterTypes), v.description("Those of this type."))),
});

const columns = { createdAt: clusters.createdAt, name: clusters.name };

/** A page of the clusters. */
export async function listClusters(
  world: World,
  call: Call,
  query: v.InferOutput<typeof ListClusters>,
): Promise<Cluster[]> {
  const where = [only(clusters.type, query.type)];
  return (await listPage(world, call, { table: clusters, columns, where }, query)).map(clusterView);
}

/** One cluster; throws `not_found` when there is none. */
export const findCluster = (world: World, id: string): Promise<ClusterState> =>
  findRecord(world, clusters, null, id, "cluster");

/** Every cluster, the oldest first. */
export const allClusters = ({ db }: World): Promise<ClusterState[]> =>
  db.select().from(clusters).orderBy(clusters.id);
