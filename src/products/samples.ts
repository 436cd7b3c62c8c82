/** A small catalogue for somebody who looks around: what the simulated cluster can provision. */
export const sampleProducts = [
  machine("VM-NANO", "Nano VM", "basic", 4.9, 0.006712, { vcpu: "1", memory: "1 GB", disk: "20 GB" }),
  machine("VM-STD-4", "Standard VM 4", "standard", 24.9, 0.034112, {
    vcpu: "4",
    memory: "16 GB",
    disk: "160 GB",
  }),
  machine("VM-PRO-16", "Professional VM 16", "premium", 119, 0.163014, {
    vcpu: "16",
    memory: "64 GB",
    disk: "640 GB",
  }),
  {
    ...plan("DB-PG-2", "PostgreSQL Database 2", "database", "standard", 39, 0.053425),
    description: "A managed PostgreSQL with daily backups and point-in-time recovery.",
    specs: { resourceType: "DATABASE", engine: "postgresql", memory: "8 GB", storage: "100 GB" },
    features: ["Point-in-time recovery", "Automatic updates", "Daily backups"],
    isPopular: true,
  },
  {
    ...plan("VOL-100", "Block Volume 100", "block-storage", "basic", 5, 0.006849),
    description: "A network volume that outlives machines.",
    specs: { resourceType: "VOLUME", size: "100 GB", iops: "3000" },
    features: ["Replicated three times", "Snapshots"],
  },
  {
    ...plan("NET-PRIV", "Private Network", "network", "basic", 0, 0),
    description: "Connects your machines without the internet between them.",
    specs: { resourceType: "NETWORK", subnets: "16" },
    features: ["IPv6 included", "Own address ranges"],
  },
  {
    ...plan("IP-FLOAT", "Floating IPv4 Address", "network", "basic", 3.5, 0.004795),
    description: "An address that moves from one machine to another within a second.",
    specs: { resourceType: "FLOATING_IP" },
    features: ["Reverse DNS"],
  },
];

function plan(
  sku: string,
  name: string,
  category: string,
  tier: string,
  monthlyPrice: number,
  hourlyPrice: number,
) {
  return {
    ...{ sku, name, category, tier, monthlyPrice, hourlyPrice },
    status: "active",
    ctaText: "Order now",
    ctaAction: `/order/${sku}`,
  };
}

function machine(
  sku: string,
  name: string,
  tier: string,
  monthlyPrice: number,
  hourlyPrice: number,
  size: Record<string, string>,
) {
  return {
    ...plan(sku, name, "compute", tier, monthlyPrice, hourlyPrice),
    description: `A virtual machine with ${size["memory"]} of memory and local NVMe storage.`,
    specs: { resourceType: "VM", ...size },
    features: ["Hourly billing", "IPv6 included", "Daily snapshots"],
    isPopular: tier === "standard",
  };
}
