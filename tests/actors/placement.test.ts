import { describe, expect, test } from "bun:test";
import { nothing } from "../../actors/provisioning/amounts.ts";
import { place } from "../../actors/provisioning/placement.ts";
import { type Cluster, type ClusterUse, noUse } from "../../schema/provisioning/cluster.ts";
import type { ResourceType } from "../../schema/provisioning/specification.ts";
import { applied, clusterOf, created } from "./requests.ts";

const cluster = (name: string, set: Partial<Cluster>): Cluster => ({
  ...clusterOf("SIMULATED"),
  ...{ id: name, name, region: "eu", isDefault: false },
  ...set,
});
const amounts = { ...nothing, instances: 1, vcpu: 4 };
const placed = (clusters: Cluster[], resourceType: ResourceType = "VM", region?: string) =>
  place(clusters, { resourceType, specification: region === undefined ? {} : { region } }, amounts)?.id;

/** The oldest first, as they are read. */
const open = [
  cluster("oldest", { supportedResourceTypes: ["VM", "VOLUME"] }),
  cluster("default", { supportedResourceTypes: ["VM"], isDefault: true }),
  cluster("american", { region: "us" }),
];

describe("a request", () => {
  const cases: [
    type: ResourceType,
    region: string | undefined,
    placed: string | undefined,
    because: string,
  ][] = [
    ["VM", undefined, "default", "which supports it"],
    ["VOLUME", undefined, "oldest", "since the default does not support it"],
    ["DATABASE", undefined, "american", "which alone supports it"],
    ["VM", "eu", "default", "which is in the region"],
    ["VM", "us", "american", "since the default is elsewhere"],
    ["VM", "mars", undefined, "since no cluster has the region"],
    ["DATABASE", "eu", undefined, "since no cluster in the region supports it"],
    ["MANUAL", "mars", "american", "since a region means nothing in a free specification"],
  ];
  test.each(cases)("for a %s in region %p is placed on %p, %s", (type, region, expected) => {
    expect(placed(open, type, region)).toBe(expected as string);
  });
});

const used = (set: Partial<ClusterUse>) => ({ used: { ...noUse, ...set } });

describe("room", () => {
  const busy = used({ vcpu: 12, instances: 3 });
  const cases: [promise: string, clusters: Cluster[], placed: string | undefined][] = [
    ["fills a capacity to the brim", [cluster("a", { ...busy, capacity: { vcpu: 16 } })], "a"],
    ["is never passed", [cluster("a", { ...busy, capacity: { vcpu: 15 } })], undefined],
    ["counts instances", [cluster("a", { ...busy, capacity: { instances: 3 } })], undefined],
    [
      "of what is not asked for does not matter",
      [cluster("a", { ...used({ storageGb: 9 }), capacity: { storageGb: 5 } })],
      "a",
    ],
    [
      "is looked for elsewhere when the default is full",
      [cluster("a", {}), cluster("b", { ...busy, isDefault: true, capacity: { vcpu: 12 } })],
      "a",
    ],
    [
      "counts by share: a large cluster with more on it is less used than a small one",
      [
        cluster("small", { ...used({ vcpu: 4 }), capacity: { vcpu: 8 } }),
        cluster("large", { ...used({ vcpu: 40 }), capacity: { vcpu: 400 } }),
      ],
      "large",
    ],
    [
      "is most where the fullest capacity is least full",
      [
        cluster("a", { ...used({ vcpu: 1, memoryMb: 90 }), capacity: { vcpu: 100, memoryMb: 100 } }),
        cluster("b", { ...used({ vcpu: 50 }), capacity: { vcpu: 100, memoryMb: 100 } }),
      ],
      "b",
    ],
    [
      "goes to the fewest instances among clusters without bounds",
      [cluster("a", used({ instances: 2 })), cluster("b", used({ instances: 1 }))],
      "b",
    ],
    ["goes to the older among equals", [cluster("a", {}), cluster("b", {})], "a"],
    [
      "is not looked for on a cluster that is drained, be it the default",
      [cluster("a", { isDefault: true, provisioningEnabled: false }), cluster("b", {})],
      "b",
    ],
    ["is nowhere where all are drained", [cluster("a", { provisioningEnabled: false })], undefined],
  ];
  test.each(cases)("%s", (_, clusters, expected) => {
    expect(placed(clusters)).toBe(expected as string);
  });
});

describe("a placement", () => {
  test("is looked for again at the start, where none was found", () => {
    const { state } = applied(created("api").state, "start", {}, "driver");
    expect(state).toMatchObject({ clusterType: "SIMULATED", status: "PROVISIONING" });
  });

  test("that was found stays", () => {
    const { state } = applied(created("manual cluster").state, "start", {}, "driver");
    expect(state).toMatchObject({ clusterType: "MANUAL", status: "AWAITING_MANUAL" });
  });
});
