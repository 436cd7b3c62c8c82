/* A catalogue as a provider of cloud resources has it, made of a seed: the same seed, the same products. */

/** Numbers from 0 to 1, 1 excluded (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const words = (text: string) => text.trim().split(/\s+/);

const series = words(`
  Altair Amber Aurora Basalt Beacon Birch Borealis Cascade Cedar Cobalt Comet Coral Cypress Delta Dorado Ember
  Falcon Fjord Garnet Glacier Granite Harbor Heron Indigo Jasper Juniper Kestrel Lagoon Lumen Magnet Maple Meridian
  Monsoon Nebula Obsidian Onyx Orion Osprey Pavilion Pelican Pinnacle Polaris Quartz Raven Ridge Saffron Sequoia
  Sierra Solstice Summit Tempest Thunder Topaz Tundra Umber Vega Vertex Willow Zenith Zephyr`);
const regions = words(
  "Frankfurt Helsinki Amsterdam Stockholm Dublin Warsaw Madrid Milano Zürich Oregon Virginia Singapore Tokyo Sydney Mumbai",
);
const sizes = words("Nano Micro Small Medium Large XLarge 2XLarge 4XLarge");
const tiers = ["basic", "standard", "premium", "enterprise"];
const supports = [
  "24/7 support",
  "Daily snapshots",
  "DDoS protection",
  "IPv6 included",
  "No setup fee",
  "Hourly billing",
  "99.99 % availability",
  "Private network",
  "API and Terraform provider",
  "Encrypted at rest",
  "Two-factor console",
  "Free inbound traffic",
];

interface Line {
  category: string;
  resourceType: string;
  kinds: readonly string[];
  about: string;
  specs(step: number, random: () => number): Record<string, string>;
}

const machine = (step: number) => ({
  vcpu: String(2 ** Math.min(step, 6)),
  memory: `${2 ** (step + 1)} GB`,
  disk: `${20 * (step + 1)} GB NVMe`,
});
const pick = <T>(random: () => number, from: readonly T[]): T =>
  from[Math.floor(random() * from.length)] as T;

const lines: readonly Line[] = [
  {
    category: "compute",
    resourceType: "VM",
    kinds: ["Server", "Instance", "Machine", "Burstable Server"],
    about: "A virtual machine with local NVMe storage and a public address, ready within a minute",
    specs: (step, random) => ({
      ...machine(step),
      processor: pick(random, ["AMD EPYC", "Intel Xeon", "Ampere"]),
    }),
  },
  {
    category: "gpu",
    resourceType: "VM",
    kinds: ["GPU Server", "Accelerator", "Training Node"],
    about: "A machine with graphics accelerators for training, inference and rendering",
    specs: (step, random) => ({
      ...machine(step + 1),
      gpu: pick(random, ["NVIDIA L40S", "NVIDIA H100", "AMD MI300"]),
    }),
  },
  {
    category: "bare-metal",
    resourceType: "MANUAL",
    kinds: ["Dedicated Server", "Bare Metal"],
    about: "A whole machine of your own, racked by hand and handed over with remote console",
    specs: (step) => ({ ...machine(step + 2), uplink: `${step + 1}0 Gbit/s` }),
  },
  {
    category: "kubernetes",
    resourceType: "VM",
    kinds: ["Kubernetes Cluster", "Container Platform"],
    about: "A managed control plane with rolling upgrades, autoscaling and an ingress",
    specs: (step) => ({ nodes: String(step + 1), "control-plane": step > 3 ? "three zones" : "one zone" }),
  },
  {
    category: "database",
    resourceType: "DATABASE",
    kinds: [
      "PostgreSQL Database",
      "MariaDB Database",
      "Redis Cache",
      "ClickHouse Warehouse",
      "MongoDB Database",
    ],
    about: "A managed database with point-in-time recovery, replicas and maintenance windows",
    specs: (step) => ({
      memory: `${2 ** step} GB`,
      storage: `${50 * (step + 1)} GB`,
      replicas: String(step % 3),
    }),
  },
  {
    category: "block-storage",
    resourceType: "VOLUME",
    kinds: ["Volume", "Block Storage"],
    about: "A network volume that outlives machines, replicated three times",
    specs: (step) => ({ size: `${100 * (step + 1)} GB`, iops: String(3000 * (step + 1)) }),
  },
  {
    category: "object-storage",
    resourceType: "VOLUME",
    kinds: ["Object Storage", "Archive Bucket"],
    about: "Buckets that speak S3, with versions, lifecycle rules and locks",
    specs: (step) => ({ capacity: `${step + 1} TB`, protocol: "S3" }),
  },
  {
    category: "backup",
    resourceType: "BACKUP",
    kinds: ["Backup Vault", "Snapshot Plan"],
    about: "Copies of machines and volumes, kept in another region by schedule",
    specs: (step) => ({ retention: `${7 * (step + 1)} days`, capacity: `${step + 1} TB` }),
  },
  {
    category: "load-balancer",
    resourceType: "NETWORK",
    kinds: ["Load Balancer", "Application Gateway"],
    about: "Spreads requests over your machines, with certificates, health checks and HTTP/3",
    specs: (step) => ({ connections: String(10_000 * (step + 1)), targets: String(25 * (step + 1)) }),
  },
  {
    category: "network",
    resourceType: "NETWORK",
    kinds: ["Private Network", "Virtual Firewall", "VPN Gateway"],
    about: "Connects machines and offices privately, with routes and rules of your own",
    specs: (step) => ({ bandwidth: `${step + 1} Gbit/s`, subnets: String(4 * (step + 1)) }),
  },
  {
    category: "dns",
    resourceType: "DNS",
    kinds: ["DNS Zone", "Anycast Nameserver"],
    about: "Authoritative name service from every region, with DNSSEC and an API",
    specs: (step) => ({ queries: `${step + 1} million a month`, records: String(500 * (step + 1)) }),
  },
  {
    category: "monitoring",
    resourceType: "MANUAL",
    kinds: ["Monitoring", "Log Archive", "Uptime Probe"],
    about: "Metrics, logs and alerts for everything that runs, with dashboards",
    specs: (step) => ({ retention: `${30 * (step + 1)} days`, series: String(1000 * (step + 1)) }),
  },
];

export interface SampleProduct {
  sku: string;
  name: string;
  description: string;
  category: string;
  status: "draft" | "active" | "paused" | "archived";
  specs: Record<string, string>;
  monthlyPrice: number;
  hourlyPrice: number;
  currency: string;
  annualDiscount: number;
  tier: string;
  features: string[];
  isPopular: boolean;
  sortOrder: number;
}

/** So many products with names of their own; nine in ten are active. */
export function sampleProducts(count: number, seed = 1): SampleProduct[] {
  const random = seededRandom(seed);
  const names = new Set<string>();
  return Array.from({ length: count }, (_, n) => {
    for (;;) {
      const line = pick(random, lines);
      const kind = pick(random, line.kinds);
      const step = Math.floor(random() * sizes.length);
      const [brand, region] = [pick(random, series), pick(random, regions)];
      const name = `${brand} ${kind} ${sizes[step]} ${region}`;
      if (names.has(name)) continue;
      names.add(name);
      return {
        sku: `${line.category.slice(0, 3)}-${brand.slice(0, 3)}-${region.slice(0, 2)}-${String(n).padStart(5, "0")}`
          .normalize("NFKD")
          .replace(/[^A-Za-z0-9-]/g, "")
          .toUpperCase(),
        name,
        description: `${line.about}. ${brand} runs in ${region}; ${pick(random, supports).toLowerCase()}.`,
        category: line.category,
        status: random() < 0.9 ? "active" : pick(random, ["draft", "paused", "archived"] as const),
        specs: { resourceType: line.resourceType, ...line.specs(step, random), region: region.toLowerCase() },
        ...pricesOf(step, random),
        currency: random() < 0.8 ? "USD" : "EUR",
        annualDiscount: pick(random, [0, 5, 10, 12.5]),
        tier: tiers[step >> 1] as string,
        features: Array.from({ length: 4 }, () => pick(random, supports)),
        isPopular: random() < 0.1,
        sortOrder: n,
      };
    }
  });
}

function pricesOf(step: number, random: () => number) {
  const cents = Math.round(300 * 2 ** step * (0.8 + random() * 0.4));
  return { monthlyPrice: cents / 100, hourlyPrice: Number((cents / 100 / 730).toFixed(6)) };
}
