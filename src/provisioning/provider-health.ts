import { cluster, statusOf } from "../../actors/provisioning/cluster.ts";
import { originOf } from "../../actors/runtime/actor.ts";
import { ServiceError } from "../../schema/errors.ts";
import type { Cluster, ClusterStatus } from "../../schema/provisioning/cluster.ts";
import type { ProviderHealth } from "../../schema/provisioning/cluster-bodies.ts";
import type { Landfall } from "../landfall.ts";
import { probeCluster } from "./cluster-probe.ts";
import { allClusters } from "./clusters.queries.ts";

/** How long the result of a probe is told again. */
const freshMs = 15_000;

/** A probe of one version of a cluster. */
interface Look {
  readonly result: Promise<ProviderHealth>;
  /** In Unix milliseconds; null while it is under way. */
  endedAt: number | null;
  status: ClusterStatus;
}

/**
 * How every registered cluster does, the oldest first. They are probed in parallel, each for `limitMs` at most and
 * once for all who ask at the same time; a result counts for 15 s, unless the cluster was changed or another
 * probe has found it otherwise.
 */
export function openProviderHealth(landfall: Landfall, limitMs?: number): () => Promise<ProviderHealth[]> {
  const { world } = landfall;
  let looks = new Map<string, Look>();
  return async () => {
    const askedAt = world.now().getTime();
    const registered = await allClusters(world);
    looks = new Map(
      registered.map((found) => {
        const key = `${found.id} ${found.version}`;
        const known = looks.get(key);
        return [key, known && counts(known, found, askedAt) ? known : look(landfall, found, limitMs)];
      }),
    );
    return Promise.all([...looks.values()].map(({ result }) => result));
  };
}

/** Whether a look still tells how a cluster does, for somebody who has read it after `askedAt`. */
function counts({ endedAt, status }: Look, found: Cluster, askedAt: number): boolean {
  if (endedAt === null || askedAt <= endedAt) return true;
  return askedAt - endedAt < freshMs && status === found.status;
}

function look(landfall: Landfall, found: Cluster, limitMs?: number): Look {
  const begun: Look = { result: lookAt(landfall, found, limitMs), endedAt: null, status: "UNKNOWN" };
  begun.result.then(
    ({ ok, checkedAt }) => Object.assign(begun, { endedAt: Date.parse(checkedAt), status: statusOf(ok) }),
    () => Object.assign(begun, { endedAt: -Infinity }),
  );
  return begun;
}

async function lookAt(landfall: Landfall, found: Cluster, limitMs?: number): Promise<ProviderHealth> {
  const { ok, latencyMs, detail } = await probeCluster(landfall, found, limitMs);
  const since = await note(landfall, found, ok);
  const checkedAt = landfall.world.now();
  const { id: clusterId, name, type } = found;
  return {
    ...{ clusterId, name, type, ok, latencyMs, detail },
    checkedAt: checkedAt.toISOString(),
    since: (since ?? checkedAt).toISOString(),
  };
}

/** Notes how a cluster does where that is new. Since when it does so; null where the cluster has changed meanwhile. */
async function note({ world, mailbox }: Landfall, found: Cluster, ok: boolean): Promise<Date | null> {
  const { id, version } = found;
  if (found.status === statusOf(ok)) return found.statusSince;
  const requestId = world.newId();
  const origin = originOf("provisioning", { requestId, correlationId: requestId });
  const outcome = await mailbox
    .send(cluster["note-health"], { id, input: { ok, version }, origin })
    .catch((error) => {
      if (error instanceof ServiceError && error.code === "not_found") return null;
      throw error;
    });
  const noted = outcome && "state" in outcome ? outcome.state : null;
  return noted?.status === statusOf(ok) ? noted.statusSince : null;
}
