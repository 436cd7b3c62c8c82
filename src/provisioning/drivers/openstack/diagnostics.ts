import * as v from "valibot";
import type { Reading } from "../driver.ts";
import type { Cloud } from "./cloud.ts";
import { Refused } from "./faults.ts";

const count = v.nullish(v.number());
const Diagnostics = v.object({
  num_cpus: count,
  cpu_details: v.optional(v.array(v.object({ time: count })), []),
  nic_details: v.optional(v.array(v.object({ rx_octets: count, tx_octets: count })), []),
  disk_details: v.optional(v.array(v.object({ read_requests: count, write_requests: count })), []),
  memory_details: v.optional(v.object({ maximum: count, used: count }), {}),
});

/**
 * What Nova tells of a running server (`GET /servers/{id}/diagnostics`, one shape for all hypervisors since 2.48).
 * Nothing where it is not running, or where the cluster's user may not ask, which by default administrators alone may.
 */
export async function diagnosticsOf(cloud: Cloud, id: string): Promise<Reading> {
  const path = `/servers/${encodeURIComponent(id)}/diagnostics`;
  const found = await cloud.get("compute", path, Diagnostics).catch((error) => {
    if (error instanceof Refused && [400, 403, 404, 409, 501].includes(error.status)) return null;
    throw error;
  });
  if (!found) return { gauges: {}, counters: {} };
  const { num_cpus, cpu_details, nic_details, disk_details, memory_details } = found;
  const { maximum, used } = memory_details;
  const cpus = num_cpus || cpu_details.length;
  const cpuNanoseconds = total(cpu_details, "time");
  const bits = (octets: number | undefined) => (octets === undefined ? undefined : octets * 8);
  return {
    gauges: defined({ memory_percent: maximum && used != null ? (100 * used) / maximum : undefined }),
    counters: defined({
      // A second of one core is 100 per cent of it, and that share of all of them.
      cpu_percent: cpuNanoseconds === undefined ? undefined : (cpuNanoseconds / 1e9 / cpus) * 100,
      network_in_bps: bits(total(nic_details, "rx_octets")),
      network_out_bps: bits(total(nic_details, "tx_octets")),
      disk_read_iops: total(disk_details, "read_requests"),
      disk_write_iops: total(disk_details, "write_requests"),
    }),
  };
}

/** The sum of a member over all that have it; undefined where none has. */
function total<K extends string>(
  details: Partial<Record<K, number | null>>[],
  member: K,
): number | undefined {
  const known = details.map((each) => each[member]).filter((value) => typeof value === "number");
  return known.length > 0 ? known.reduce((sum, value) => sum + value, 0) : undefined;
}

const defined = <T extends object>(members: T): T =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
