import { type Cluster, clusters } from "../../schema/provisioning/cluster.ts";
import { type Decision, defineActor } from "../runtime/actor.ts";

/** Infrastructure that requests are placed on. */
export const cluster = defineActor({
  name: "cluster",
  service: "provisioning",
  table: clusters,
  audited: true,
  accepts: { register: "new" },
  commands: { register },
});

export type RegisterCluster = Pick<
  Cluster,
  "name" | "type" | "region" | "isDefault" | "supportedResourceTypes" | "metadata"
>;

function register(_: Cluster, input: RegisterCluster): Decision<Cluster> {
  return { set: { ...input, provisioningEnabled: true } };
}
