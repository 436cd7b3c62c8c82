import * as v from "valibot";
import { DriverError } from "../driver-error.ts";
import { type Cloud, isId, orNull } from "./cloud.ts";

/** An image, and what a machine needs to run it. */
export interface Image {
  id: string;
  minRamMb: number;
  minDiskGb: number;
}

const Glance = v.pipe(
  v.object({
    id: v.string(),
    name: v.nullish(v.string()),
    status: v.string(),
    min_ram: v.optional(v.number(), 0),
    min_disk: v.optional(v.number(), 0),
    created_at: v.string(),
  }),
  v.transform(({ min_ram: minRamMb, min_disk: minDiskGb, created_at: since, ...rest }) => ({
    ...rest,
    ...{ minRamMb, minDiskGb, since },
  })),
);
const Proxied = v.pipe(
  v.object({
    id: v.string(),
    name: v.nullish(v.string()),
    status: v.string(),
    minRam: v.optional(v.number(), 0),
    minDisk: v.optional(v.number(), 0),
    created: v.string(),
  }),
  v.transform(({ minRam: minRamMb, minDisk: minDiskGb, created: since, ...rest }) => ({
    ...rest,
    ...{ minRamMb, minDiskGb, since },
  })),
);
const ProxiedAlone = v.pipe(
  v.object({ image: Proxied }),
  v.transform(({ image }) => image),
);

/** Who lists images: Glance, else Nova for it. */
const glance = { kind: "image", list: "/images", Each: Glance, One: Glance } as const;
const proxy = { kind: "imageProxy", list: "/images/detail", Each: Proxied, One: ProxiedAlone } as const;

/** An image by its id, else the newest of exactly this name; a `DriverError` of `IMAGE_NOT_FOUND` where there is none. */
export async function findImage(cloud: Cloud, wanted: string): Promise<Image> {
  const { kind, list, Each, One } = (await cloud.has("image")) ? glance : proxy;
  const Images = v.object({ images: v.array<typeof Glance | typeof Proxied>(Each) });
  const { images } = await cloud.get(kind, `${list}?name=${encodeURIComponent(wanted)}`, Images);
  const byId = isId(wanted)
    ? await orNull(cloud.get<typeof Glance | typeof ProxiedAlone>(kind, `/images/${wanted}`, One))
    : null;
  const usable = [...images, ...(byId ? [byId] : [])].filter(
    ({ id, name, status }) => status.toLowerCase() === "active" && (id === wanted || name === wanted),
  );
  const [image] = usable.sort(
    (a, b) => Number(b.id === wanted) - Number(a.id === wanted) || b.since.localeCompare(a.since),
  );
  if (!image) throw new DriverError("IMAGE_NOT_FOUND", "The cluster has no active image of this id or name.");
  return image;
}
