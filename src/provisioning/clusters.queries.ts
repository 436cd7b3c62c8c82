import * as v from "valibot";
import { notFound } from "../../schema/errors.ts";
import { type Cluster as ClusterState, clusters, clusterTypes } from "../../schema/provisioning/cluster.ts";
import type { Cluster } from "../../schema/provisioning/cluster-bodies.ts";
import type { World } from "../../schema/world.ts";
import type { Call } from "../http/call.ts";
import { only } from "../http/finding.ts";
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
export async function findCluster({ db }: World, id: string): Promise<ClusterState> {
  const [found] = await db.select().from(clusters).where(only(clusters.id, id));
  if (!found) throw notFound("cluster");
  return found;
}

/** Every cluster, the oldest first. */
export const allClusters = ({ db }: World): Promise<ClusterState[]> =>
  db.select().from(clusters).orderBy(clusters.createdAt, clusters.id);
