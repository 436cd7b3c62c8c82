import type { Cluster as ClusterState } from "../../schema/provisioning/cluster.ts";
import type { Cluster } from "../../schema/provisioning/cluster-bodies.ts";
import { recordView } from "../http/record-view.ts";

/** A cluster as it is answered. */
export const clusterView = ({ statusSince, ...shown }: ClusterState): Cluster => recordView(shown);
