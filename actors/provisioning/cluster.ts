import { isDeepStrictEqual } from "node:util";
import { and, count, inArray, notInArray } from "drizzle-orm";
import { ServiceError } from "../../schema/errors.ts";
import { type Cluster, type ClusterStatus, clusters, noUse } from "../../schema/provisioning/cluster.ts";
import {
  type CreateCluster,
  clusterFields,
  type UpdateCluster,
} from "../../schema/provisioning/cluster-bodies.ts";
import { provisioningRequests as requests } from "../../schema/provisioning/request.ts";
import {
  ask,
  type Decision,
  defineActor,
  everyone,
  type Fact,
  type Lock,
  type Moment,
  type OtherChange,
} from "../runtime/actor.ts";

/** How many requests, of those that still mean something, are placed on a cluster. */
const placedOn: Fact<string, number> = {
  async read(db, ids) {
    const found = await db
      .select({ clusterId: requests.clusterId, total: count() })
      .from(requests)
      .where(
        and(inArray(requests.clusterId, ids), notInArray(requests.status, ["DEPROVISIONED", "REJECTED"])),
      )
      .groupBy(requests.clusterId);
    const totals = new Map(found.map(({ clusterId, total }) => [clusterId, total]));
    return (id) => totals.get(id) ?? 0;
  },
};

/** Infrastructure that requests are placed on. */
export const cluster = defineActor({
  name: "cluster",
  service: "provisioning",
  table: clusters,
  audited: true,
  accepts: { create: "new", update: "any", delete: "any", "note-health": "any" },
  internal: ["note-health"],
  quiet: ["note-health"],
  commands: { create, update, delete: remove, "note-health": noteHealth },
  locks: { create: rivals, update: rivals },
  facts: { delete: (state) => ({ placed: ask(placedOn, state?.id ?? "") }) },
});

/** A new default looks at all the others. */
function rivals({ isDefault }: { isDefault?: boolean }): Lock[] {
  return isDefault ? [[cluster, everyone]] : [];
}

function create(_: Cluster, input: CreateCluster, __: unknown, moment: Moment): Decision<Cluster> {
  return {
    set: { ...input, used: noUse, status: "UNKNOWN", statusSince: null },
    also: input.isDefault ? deposed(input.type, moment) : [],
  };
}

/** Where and how it is reached: after a change of these nobody knows how it does. */
const connection: (keyof UpdateCluster)[] = [
  "authUrl",
  "apiUrl",
  "projectName",
  "domainName",
  "credentialsRef",
];

function update(state: Cluster, input: UpdateCluster, _: unknown, moment: Moment): Decision<Cluster> {
  const changed = clusterFields.filter(
    (field) => input[field] !== undefined && !isDeepStrictEqual(input[field], state[field]),
  );
  if (changed.length === 0) return {};
  const moved = changed.some((field) => connection.includes(field));
  return {
    set: {
      ...Object.fromEntries(changed.map((field) => [field, input[field]])),
      ...(moved ? { status: "UNKNOWN" as const, statusSince: null } : {}),
    },
    detail: { changed },
    also: changed.includes("isDefault") && input.isDefault ? deposed(state.type, moment) : [],
  };
}

/** A type has one default: the one until now steps back. */
function deposed(type: Cluster["type"], { lockedAll }: Moment): OtherChange[] {
  return (lockedAll(cluster) as Cluster[])
    .filter((other) => other.type === type && other.isDefault)
    .map((other) => ({ actor: cluster, id: other.id, set: { isDefault: false } }));
}

/** `used` also counts what is placed earlier in the same commit. */
function remove({ used }: Cluster, _: unknown, { placed }: { placed: number }): Decision<Cluster> {
  const live = Math.max(placed, used.instances);
  if (live > 0) {
    throw new ServiceError("in_use", "There are requests on the cluster that are not deprovisioned.", {
      count: live,
    });
  }
  return { remove: true };
}

/** What a test says of a cluster. */
export const statusOf = (ok: boolean): ClusterStatus => (ok ? "HEALTHY" : "UNHEALTHY");

/** After a test; `version` is that of the cluster which was tested, for what a test says of an older one is void. */
function noteHealth(
  state: Cluster,
  { ok, version }: { ok: boolean; version: number },
  _: unknown,
  { now }: Moment,
): Decision<Cluster> {
  if (version !== state.version || state.status === statusOf(ok)) return {};
  return { set: { status: statusOf(ok), statusSince: now } };
}
