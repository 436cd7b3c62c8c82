import * as v from "valibot";
import { DriverError } from "../driver-error.ts";
import { type Cloud, isId, orNull } from "./cloud.ts";

/** An image, and what a machine needs to run it. */
export interface Image {
  id: string;
  minRamMb: number;
  minDiskGb: number;
}

const Glance = v.object({
  id: v.string(),
  name: v.nullish(v.string()),
  status: v.string(),
  min_ram: v.optional(v.number(), 0),
  min_disk: v.optional(v.number(), 0),
  created_at: v.string(),
});
const Proxied = v.object({
  id: v.string(),
  name: v.nullish(v.string()),
  status: v.string(),
  minRam: v.optional(v.number(), 0),
  minDisk: v.optional(v.number(), 0),
  created: v.string(),
});

/** An image by its id, else the newest of exactly this name; a `DriverError` of `IMAGE_NOT_FOUND` where there is none. */
export async function findImage(cloud: Cloud, wanted: string): Promise<Image> {
  const found = (await cloud.has("image")) ? await inGlance(cloud, wanted) : await inNova(cloud, wanted);
  const usable = found.filter(
    ({ id, name, status }) => status.toLowerCase() === "active" && (id === wanted || name === wanted),
  );
  const [image] = usable.sort(
    (a, b) => Number(b.id === wanted) - Number(a.id === wanted) || b.since.localeCompare(a.since),
  );
  if (!image) throw new DriverError("IMAGE_NOT_FOUND", "The cluster has no active image of this id or name.");
  return image;
}

async function inGlance(cloud: Cloud, wanted: string) {
  const { images } = await cloud.get(
    "image",
    `/images?name=${encodeURIComponent(wanted)}`,
    v.object({ images: v.array(Glance) }),
  );
  const byId = isId(wanted) ? await orNull(cloud.get("image", `/images/${wanted}`, Glance)) : null;
  return [...images, ...(byId ? [byId] : [])].map(({ min_ram, min_disk, created_at, ...rest }) => ({
    ...rest,
    minRamMb: min_ram,
    minDiskGb: min_disk,
    since: created_at,
  }));
}

async function inNova(cloud: Cloud, wanted: string) {
  const { images } = await cloud.get(
    "imageProxy",
    `/images/detail?name=${encodeURIComponent(wanted)}`,
    v.object({ images: v.array(Proxied) }),
  );
  const answer = isId(wanted)
    ? await orNull(cloud.get("imageProxy", `/images/${wanted}`, v.object({ image: Proxied })))
    : null;
  return [...images, ...(answer ? [answer.image] : [])].map(({ minRam, minDisk, created, ...rest }) => ({
    ...rest,
    minRamMb: minRam,
    minDiskGb: minDisk,
    since: created,
  }));
}
