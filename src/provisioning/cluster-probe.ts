import type { Cluster } from "../../schema/provisioning/cluster.ts";
import type { ConnectionTest } from "../../schema/provisioning/cluster-bodies.ts";
import type { Log } from "../../schema/world.ts";
import type { Landfall } from "../landfall.ts";
import { siteOf } from "./credentials.ts";
import { withDeadline } from "./drivers/deadline.ts";
import { type Check, providers } from "./drivers/driver.ts";
import { DriverError } from "./drivers/driver-error.ts";
import { endpoint } from "./drivers/endpoint.ts";

/** The 5 s in which an answer is promised, less what is done before and after. */
const probeLimitMs = 4500;

/** Tries what work on a cluster needs, for `limitMs` at most. Whatever goes wrong is a failed check. */
export async function probeCluster(
  { config, world }: Landfall,
  cluster: Cluster,
  limitMs = probeLimitMs,
): Promise<ConnectionTest> {
  const provider = providers[cluster.type] ?? endpoint;
  const site = siteOf(config, cluster);
  const begun = performance.now();
  const checks = await withDeadline(limitMs, new AbortController().signal, (signal) =>
    provider.probe(site, signal),
  ).catch((error) => [failedCheck(world.log, cluster, error)]);
  const latencyMs = Math.round(performance.now() - begun);
  const failed = checks.find(({ ok }) => !ok);
  return { ok: !failed, latencyMs, detail: (failed ?? checks.at(-1))?.detail ?? "", checks };
}

function failedCheck(log: Log, { id }: Cluster, error: unknown): Check {
  const name = "connection";
  if (error instanceof DriverError) return { name, ok: false, detail: error.message };
  log.error("cluster probe failed", { clusterId: id, ...withoutWords(error) });
  return { name, ok: false, detail: "The test broke off; the log says where." };
}

/** An error as the log may show it: what it says in words could hold a part of the secret. */
function withoutWords(error: unknown): Record<string, unknown> {
  const { name, code, stack = "" } = Object(error) as { name?: unknown; code?: unknown; stack?: string };
  return { error: name, code, at: stack.split("\n").filter((line) => /^\s+at /.test(line)) };
}
