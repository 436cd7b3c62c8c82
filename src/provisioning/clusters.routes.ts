import { Elysia } from "elysia";
import * as v from "valibot";
import { cluster } from "../../actors/provisioning/cluster.ts";
import {
  Cluster,
  ConnectionTest,
  CreateCluster,
  UpdateCluster,
} from "../../schema/provisioning/cluster-bodies.ts";
import { Deleted } from "../../schema/values.ts";
import { endpoint } from "../http/endpoint.ts";
import { idiom } from "../http/idiom.ts";
import type { Landfall } from "../landfall.ts";
import { probeCluster } from "./cluster-probe.ts";
import { findCluster, ListClusters, listClusters } from "./clusters.queries.ts";
import { clusterView } from "./clusters.views.ts";
import { withoutOwnVariable } from "./credentials.ts";

const common = { tag: "Clusters", may: "clusters" } as const;
const errors = ["not_found", "precondition_failed"] as const;

export const clusterRoutes = (landfall: Landfall) => {
  const { world } = landfall;
  return new Elysia({ prefix: "/clusters" })
    .use(idiom(landfall))
    .post(
      "",
      ({ call, body }) => call.send(cluster.create, undefined, withoutOwnVariable(body), clusterView, 201),
      endpoint({
        id: "createCluster",
        ...common,
        summary: "Register a new cluster",
        description: "It takes requests at once, unless `provisioningEnabled` is false.",
        body: CreateCluster,
        answer: Cluster,
        statuses: [201],
      }),
    )
    .get(
      "",
      ({ call, query }) => listClusters(world, call, query),
      endpoint({
        id: "listClusters",
        ...common,
        summary: "List all infrastructure clusters",
        query: ListClusters,
        answer: v.array(Cluster),
        list: true,
      }),
    )
    .get(
      "/:id",
      async ({ params }) => clusterView(await findCluster(world, params.id)),
      endpoint({
        id: "getCluster",
        ...common,
        summary: "Get cluster by ID",
        answer: Cluster,
        errors: ["not_found"],
      }),
    )
    .patch(
      "/:id",
      ({ call, params, body }) => call.send(cluster.update, params.id, withoutOwnVariable(body), clusterView),
      endpoint({
        id: "updateCluster",
        ...common,
        summary: "Update cluster configuration",
        description:
          "Changes only the fields given; null clears one that is optional. What changes nothing leaves the version.",
        body: UpdateCluster,
        answer: Cluster,
        errors,
      }),
    )
    .delete(
      "/:id",
      ({ call, params }) =>
        call.send(cluster.delete, params.id, {}, ({ id }) => ({ id, deleted: true as const })),
      endpoint({
        id: "deleteCluster",
        ...common,
        summary: "Remove a cluster",
        description:
          "Refused with `in_use` and their `count` while there are requests on it that are neither rejected nor deprovisioned; failed ones count too, since they can be retried. Drain it first: set `provisioningEnabled` to false.",
        answer: Deleted,
        errors: [...errors, "in_use"],
      }),
    )
    .post(
      "/:id/test-connection",
      async ({ call, params }) => {
        const found = await findCluster(world, params.id);
        const tested = await probeCluster(landfall, found);
        const { ok } = tested;
        return call.send(cluster["note-health"], found.id, { ok, version: found.version }, () => tested);
      },
      endpoint({
        id: "testClusterConnection",
        ...common,
        summary: "Test connection to cluster infrastructure",
        description:
          "Answers within 5 seconds. A cluster that is down is a result and no error; the cluster's `status` tells of it afterwards.",
        answer: ConnectionTest,
        errors,
      }),
    );
};
