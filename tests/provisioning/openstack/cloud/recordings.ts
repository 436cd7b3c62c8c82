import compute from "../recordings/compute.json" with { type: "json" };
import identity from "../recordings/identity.json" with { type: "json" };
import image from "../recordings/image.json" with { type: "json" };
import network from "../recordings/network.json" with { type: "json" };
import volume from "../recordings/volume.json" with { type: "json" };

/** What a real service was asked and answered; `recordings/README.md` says where they are from. */
export interface Recording {
  method: string;
  path: string;
  status: number;
  headers: Record<string, string>;
  request?: any;
  body: any;
}

const all = { ...identity, ...compute, ...network, ...volume, ...image };
export type RecordingName = keyof typeof all;

/** A copy of a recording, free to be changed. */
export const recorded = (name: RecordingName): Recording => structuredClone(all[name]) as Recording;
