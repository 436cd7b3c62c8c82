/** What a request takes up, by dimension; each is counted for its tenant and type, and the first four for its cluster. */
export const dimensions = [
  "instances",
  "vcpu",
  "memoryMb",
  "storageGb",
  "publicIps",
  "networks",
  "dnsZones",
] as const;
export type Dimension = (typeof dimensions)[number];

/** So much of each dimension: pieces, cores, MiB, GiB. */
export type Amounts = Record<Dimension, number>;
