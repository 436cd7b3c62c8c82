import { nothing } from "../../actors/provisioning/amounts.ts";
import { place } from "../../actors/provisioning/placement.ts";
import { type Cluster, noUse } from "../../schema/provisioning/cluster.ts";
import { clusterOf } from "../actors/requests.ts";
import { measure, show } from "./measure.ts";

/* The cluster for a new request among many, all of which fit, none of them a default one: every one is compared. */

const count = 500;
const rounds = 2000;

const capacity = { vcpu: 4000, memoryMb: 16_000_000, storageGb: 400_000, instances: 2000 };
const open: Cluster[] = Array.from({ length: count }, (_, n) => ({
  ...clusterOf("SIMULATED"),
  ...{ id: `cluster-${n}`, isDefault: false, capacity, supportedResourceTypes: ["VOLUME", "VM"] },
  used: { ...noUse, vcpu: 1 + ((n * 7919) % 997), instances: n % 400 },
}));
const amounts = { ...nothing, instances: 1, vcpu: 4, memoryMb: 8192, storageGb: 80 };
const wanted = { resourceType: "VM", specification: { region: "eu-1" } } as const;

export async function placement(): Promise<void> {
  const find = async () => {
    if (place(open, wanted, amounts)?.used.vcpu !== 1) throw new Error("The least used should be found.");
  };
  const scan = async () => {
    if (leastOf(open) !== 1) throw new Error("The least should be found.");
  };
  for (const work of [find, scan]) await measure(rounds, 1, work); // warm
  console.log(`placement: one of ${count} clusters, all of which fit`);
  const [own, bare] = [await measure(rounds, 1, find), await measure(rounds, 1, scan)];
  show("a request placed (under 1 ms)", own);
  show("a bare scan for the least vcpu", bare);
  console.log(`  ${(own.p50 / bare.p50).toFixed(1)} x the bare scan`);
}

/** The limit: one property of each, compared. */
const leastOf = (clusters: Cluster[]) =>
  clusters.reduce((least, { used }) => Math.min(used.vcpu, least), Number.POSITIVE_INFINITY);
