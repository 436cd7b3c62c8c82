import * as v from "valibot";
import { DriverError } from "../driver-error.ts";
import type { Cloud } from "./cloud.ts";
import type { Image } from "./image.ts";

const Flavor = v.object({
  id: v.string(),
  name: v.string(),
  vcpus: v.number(),
  ram: v.number(),
  disk: v.number(),
  "OS-FLV-DISABLED:disabled": v.optional(v.boolean(), false),
});
export type Flavor = v.InferOutput<typeof Flavor>;

const Page = v.object({
  flavors: v.array(Flavor),
  flavors_links: v.optional(v.array(v.object({ rel: v.string() })), []),
});

const maxPages = 50;

/** What a machine wants. */
export interface Size {
  vcpu: number;
  memoryMb: number;
  diskGb: number;
}

/** The smallest flavor that a machine and its image fit in; a `DriverError` of `NO_FLAVOR` where there is none. */
export async function findFlavor(cloud: Cloud, size: Size, image: Image): Promise<Flavor> {
  const flavor = smallestFitting(await flavorsOf(cloud), size, image);
  if (flavor) return flavor;
  throw new DriverError("NO_FLAVOR", "The cluster offers no machine of this size or larger.");
}

/** The fewest cores, then the least memory, then the smallest disk, then by name. */
export function smallestFitting(flavors: Flavor[], size: Size, image: Image): Flavor | undefined {
  return flavors
    .filter(
      (each) =>
        !each["OS-FLV-DISABLED:disabled"] &&
        each.vcpus >= size.vcpu &&
        each.ram >= Math.max(size.memoryMb, image.minRamMb) &&
        each.disk >= Math.max(size.diskGb, image.minDiskGb),
    )
    .sort((a, b) => a.vcpus - b.vcpus || a.ram - b.ram || a.disk - b.disk || a.name.localeCompare(b.name))[0];
}

async function flavorsOf(cloud: Cloud): Promise<Flavor[]> {
  const all: Flavor[] = [];
  for (let page = 0; page < maxPages; page++) {
    const last = all.at(-1);
    const marker = last ? `?marker=${encodeURIComponent(last.id)}` : "";
    const { flavors, flavors_links } = await cloud.get("compute", `/flavors/detail${marker}`, Page);
    all.push(...flavors);
    if (flavors.length === 0 || !flavors_links.some(({ rel }) => rel === "next")) break;
  }
  return all;
}
