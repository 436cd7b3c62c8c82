/** What is measured of a service: shares in per cent, network in bits, disk in operations a second. */
export const metrics = [
  "cpu_percent",
  "memory_percent",
  "disk_percent",
  "network_in_bps",
  "network_out_bps",
  "disk_read_iops",
  "disk_write_iops",
] as const;
export type Metric = (typeof metrics)[number];
