import { type Endpoint, neverEchoed, type Scene } from "../endpoint.ts";

const owned = ["id", "status", "statusSince", "used", "version", "createdAt", "updatedAt", "tenantId"];

/** It takes no requests: those of the other rows are placed as if it were not there. */
const newCluster = () => ({ name: "Rack 4", type: "PROXMOX", region: "attic", provisioningEnabled: false });
/** Members for the wrong values to stand in. */
const members = { capacity: {}, supportedResourceTypes: ["VM"] };

const target = async ({ admin }: Scene) =>
  (await admin.call("POST", "/api/clusters", newCluster())).data.id as string;

const urls = [
  5,
  "",
  "openstack.example.com:5000",
  "ftp://example.com/",
  "file:///etc/passwd",
  "http:example.com",
  "http://",
  "http://a b.example.com/",
  " http://example.com/",
  "http://example.com/\n",
  `https://user:${neverEchoed}@example.com/`,
  `https://${neverEchoed}@example.com/`,
  `https://:${neverEchoed}@example.com/`,
  `https://example.com/${"x".repeat(2048)}`,
];

const references = [
  neverEchoed,
  "env:",
  "env:A B",
  "env:1A",
  "env:A=B",
  "env:A\n",
  "ENV:A",
  " env:A",
  "env:ENCRYPTION_KEY",
  "env:MYSQL_URL",
  "env:ADMIN_PASSWORD",
  "file:",
  "file:.",
  "file:..",
  "file:.hidden",
  "file:../secret",
  "file:a/b",
  "file:/etc/passwd",
  "file:a\\b",
  "file:%2e%2e%2fsecret",
  "file:a\u0000",
  `file:${"x".repeat(200)}`,
  "vault:secret",
  5,
];

/** Values that no cluster takes. */
const wrong: [pointer: string, value: unknown][] = [
  ["/name", ""],
  ["/name", null],
  ["/name", "x".repeat(201)],
  ["/name", "two\nlines"],
  ["/name", [neverEchoed]],
  ["/region", ""],
  ["/region", null],
  ["/region", "x".repeat(101)],
  ["/region", "a\u0000b"],
  ...urls.flatMap((url): [string, unknown][] => [
    ["/authUrl", url],
    ["/apiUrl", url],
  ]),
  ["/projectName", ""],
  ["/projectName", "x".repeat(201)],
  ["/domainName", "\t"],
  ["/domainName", { not: neverEchoed }],
  ...references.map((reference): [string, unknown] => ["/credentialsRef", reference]),
  ["/supportedResourceTypes", "VM"],
  ["/supportedResourceTypes", { 0: "VM" }],
  ["/supportedResourceTypes/0", "vm"],
  ["/supportedResourceTypes/1", neverEchoed],
  ["/supportedResourceTypes", Array(13).fill("VM")],
  ["/isDefault", "true"],
  ["/isDefault", null],
  ["/provisioningEnabled", 1],
  ["/provisioningEnabled", null],
  ["/capacity", neverEchoed],
  ["/capacity", []],
  ["/capacity/vcpu", -1],
  ["/capacity/vcpu", 1.5],
  ["/capacity/vcpu", "4"],
  ["/capacity/vcpu", null],
  ["/capacity/memoryMb", 2 ** 53],
  ["/capacity/diskGb", 1],
  ["/capacity/publicIps", 1],
  ["/metadata", neverEchoed],
  ["/metadata", []],
];

const common = { may: "clusters", status: 200 } as const;
const one = { ...common, path: "/api/clusters/{id}", target } as const;

export const clusterEndpoints: Endpoint[] = [
  {
    ...common,
    method: "POST",
    path: "/api/clusters",
    status: 201,
    body: () => ({ ...newCluster(), ...members }),
    wrong: [
      ["/name", undefined],
      ["/type", undefined],
      ["/region", undefined],
      ["/type", neverEchoed],
      ["/type", "openstack"],
      ["/type", null],
      ...wrong,
    ],
    owned,
  },
  { ...common, method: "GET", path: "/api/clusters", list: true },
  { ...one, method: "GET" },
  {
    ...one,
    method: "PATCH",
    body: () => ({ region: "cellar", ...members }),
    wrong,
    owned: [...owned, "type"],
  },
  { ...one, method: "DELETE" },
  { ...common, method: "POST", path: "/api/clusters/{id}/test-connection", target },
  { ...common, method: "GET", path: "/api/provisioning/providers/health", list: true, whole: true },
];
