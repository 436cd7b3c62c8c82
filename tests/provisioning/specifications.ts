/** What a kind of resource must be told about itself, and what is wrong with it. */
export interface Shape {
  /** Every field, optional ones too. */
  whole: Record<string, unknown>;
  optional: string[];
  /** Values at the bounds, which are taken. */
  taken?: [field: string, ...values: unknown[]][];
  refused: [field: string, ...values: unknown[]][];
  /** Refused below a field: where, and what is wrong there. */
  below?: [pointer: string, value: unknown, pointers?: string[]][];
}

const pool = { name: "default", count: 3, vcpu: 2, memoryMb: 4096, diskGb: 40 };
const listener = { protocol: "https", port: 443 };
const vcpu: Shape["refused"][number] = ["vcpu", 0, 257, 1.5, "2", null];
const memoryMb: Shape["refused"][number] = ["memoryMb", 255, 4_194_305, "4G"];
const longText = "x".repeat(201);

/** The specification of each resource type. */
export const shapes: Record<string, Shape> = {
  VM: {
    whole: {
      ...{ vcpu: 2, memoryMb: 4096, diskGb: 40, image: "debian-12", hostname: "web-1.example" },
      ...{ sshKeys: ["ssh-ed25519 AAAA"], networkId: "net-1", userData: "#cloud-config", region: "eu" },
    },
    optional: ["hostname", "sshKeys", "networkId", "userData", "region"],
    taken: [
      ["vcpu", 1, 256],
      ["memoryMb", 256, 4_194_304],
      ["diskGb", 1, 65_536],
      ["sshKeys", []],
      ["hostname", "a"],
    ],
    refused: [
      vcpu,
      memoryMb,
      ["diskGb", 0, 65_537, true],
      ["image", "", 5],
      ["hostname", "-a", "a_b", "a..b", "a".repeat(64), ""],
    ],
    below: [["/sshKeys/0", 5]],
  },
  BARE_METAL: {
    whole: { flavor: "m1.large", image: "debian-12", hostname: "rack-7", sshKeys: [], region: "eu" },
    optional: ["hostname", "sshKeys", "region"],
    refused: [
      ["flavor", "", longText],
      ["image", null],
      ["sshKeys", "ssh-ed25519"],
      ["region", ""],
    ],
  },
  KUBERNETES: {
    whole: { version: "1.34", controlPlaneCount: 3, nodePools: [pool], region: "eu" },
    optional: ["region"],
    taken: [
      ["controlPlaneCount", 1, 9],
      ["nodePools", Array(20).fill(pool)],
    ],
    refused: [
      ["version", 1.34],
      ["controlPlaneCount", 0, 10],
      ["nodePools", [], Array(21).fill(pool), pool],
    ],
    below: [
      ["/nodePools/0/count", 0],
      ["/nodePools/0/count", 1001],
      ["/nodePools/0/vcpu", 257],
      ["/nodePools/0/name", undefined],
      ["/nodePools/0/colour", "blue"],
    ],
  },
  VOLUME: {
    whole: { sizeGb: 100, volumeType: "ssd", attachTo: "vm-1", region: "eu" },
    optional: ["volumeType", "attachTo", "region"],
    taken: [["sizeGb", 1, 65_536]],
    refused: [
      ["sizeGb", 0, 65_537, 0.5, "100"],
      ["volumeType", ""],
      ["attachTo", ["vm-1"]],
    ],
  },
  OBJECT_STORAGE: {
    whole: { quotaGb: 500, versioning: true, region: "eu" },
    optional: ["versioning", "region"],
    taken: [
      ["quotaGb", 1, 1_048_576],
      ["versioning", false],
    ],
    refused: [
      ["quotaGb", 0, 1_048_577],
      ["versioning", "yes", 1],
    ],
  },
  DATABASE: {
    whole: {
      engine: "postgresql",
      version: "17",
      vcpu: 2,
      memoryMb: 4096,
      storageGb: 100,
      replicas: 1,
      region: "eu",
    },
    optional: ["replicas", "region"],
    taken: [
      ["engine", "mysql", "mariadb", "redis"],
      ["replicas", 0, 5],
      ["storageGb", 1, 65_536],
    ],
    refused: [
      ["engine", "oracle", "POSTGRESQL"],
      ["version", ""],
      vcpu,
      memoryMb,
      ["storageGb", 0],
      ["replicas", -1, 6],
    ],
  },
  LOAD_BALANCER: {
    whole: { algorithm: "round_robin", listeners: [listener], targets: ["vm-1"], region: "eu" },
    optional: ["targets", "region"],
    taken: [
      ["algorithm", "least_connections", "source_ip"],
      ["listeners", Array(20).fill(listener)],
      ["targets", []],
    ],
    refused: [
      ["algorithm", "random"],
      ["listeners", [], Array(21).fill(listener)],
      ["targets", "vm-1"],
    ],
    below: [
      ["/listeners/0/port", 0],
      ["/listeners/0/port", 65_536],
      ["/listeners/0/protocol", "ftp"],
      ["/listeners/0", "https", ["/listeners/0"]],
    ],
  },
  FLOATING_IP: {
    whole: { family: 4, region: "eu" },
    optional: ["region"],
    taken: [["family", 6]],
    refused: [["family", 5, "4", null]],
  },
  NETWORK: {
    whole: { cidr: "10.0.0.0/24", region: "eu" },
    optional: ["region"],
    taken: [["cidr", "0.0.0.0/0", "192.0.2.1/32", "2001:db8::/32", "::/128"]],
    refused: [["cidr", "10.0.0.0", "10.0.0.0/33", "2001:db8::/129", "10.0.0/24", "a/8", "10.0.0.0/-1", 10]],
  },
  DNS_ZONE: {
    whole: { name: "example.com", dnssecEnabled: true, region: "eu" },
    optional: ["dnssecEnabled", "region"],
    refused: [
      ["name", ""],
      ["dnssecEnabled", "true"],
    ],
  },
  BACKUP: {
    whole: { sourceId: "vm-1", schedule: "0 3 * * *", retentionDays: 7, region: "eu" },
    optional: ["region"],
    taken: [
      ["schedule", "*/5 0-6,12 1 jan-mar mon,fri", "59 23 31 12 7", "0 0 * * SUN", "10-50/5 * * * *"],
      ["retentionDays", 1, 3650],
      ["sourceId", "x".repeat(64)],
    ],
    refused: [
      [
        "schedule",
        "",
        "0 3 * *",
        "0 3 * * * *",
        "daily",
        "@daily",
        "61 3 * * *",
        "0 24 * * *",
        "0 3 0 * *",
        "0 3 * 13 *",
      ],
      ["retentionDays", 0, 3651],
      ["sourceId", "", "x".repeat(65)],
    ],
  },
  MANUAL: {
    whole: { task: "rack a server", list: [1, { deep: null }] },
    optional: ["task", "list"],
    refused: [],
  },
};
