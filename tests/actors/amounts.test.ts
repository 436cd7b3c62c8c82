import { describe, expect, test } from "bun:test";
import { amountsOf, minus, nothing, plus } from "../../actors/provisioning/amounts.ts";
import type { Amounts } from "../../schema/provisioning/amounts.ts";
import { type ResourceType, resourceTypes } from "../../schema/provisioning/specification.ts";
import { shapes } from "../provisioning/specifications.ts";

const pools = [
  { name: "a", count: 3, vcpu: 2, memoryMb: 4096, diskGb: 40 },
  { name: "b", count: 1000, vcpu: 256, memoryMb: 4_194_304, diskGb: 65_536 },
];

/** What each type takes beside one instance. */
const taken: Record<ResourceType, [specification: object, takes: Partial<Amounts>][]> = {
  VM: [
    [
      { vcpu: 2, memoryMb: 4096, diskGb: 40 },
      { vcpu: 2, memoryMb: 4096, storageGb: 40 },
    ],
  ],
  DATABASE: [
    [
      { vcpu: 4, memoryMb: 512, storageGb: 9, replicas: 5 },
      { vcpu: 4, memoryMb: 512, storageGb: 9 },
    ],
  ],
  KUBERNETES: [
    [
      { controlPlaneCount: 9, nodePools: pools.slice(0, 1) },
      { vcpu: 6, memoryMb: 12_288, storageGb: 120 },
    ],
    [{ nodePools: pools }, { vcpu: 256_006, memoryMb: 4_194_316_288, storageGb: 65_536_120 }],
  ],
  VOLUME: [[{ sizeGb: 65_536 }, { storageGb: 65_536 }]],
  OBJECT_STORAGE: [[{ quotaGb: 1_048_576 }, { storageGb: 1_048_576 }]],
  FLOATING_IP: [[{ family: 6 }, { publicIps: 1 }]],
  NETWORK: [[{ cidr: "10.0.0.0/8" }, { networks: 1 }]],
  DNS_ZONE: [[{ name: "example.com" }, { dnsZones: 1 }]],
  BARE_METAL: [[{ flavor: "m1.large" }, {}]],
  LOAD_BALANCER: [[{ listeners: [{ port: 1 }, { port: 2 }] }, {}]],
  BACKUP: [[{ retentionDays: 7 }, {}]],
  // A free map counts for nothing, whatever it names.
  MANUAL: [[{ vcpu: 64, memoryMb: "all", nodePools: null, sizeGb: -1 }, {}]],
};

describe("what a request takes", () => {
  test.each(resourceTypes)("of a %s is what the contract says", (resourceType) => {
    for (const [specification, takes] of taken[resourceType])
      expect(amountsOf({ resourceType, specification })).toEqual({ ...nothing, instances: 1, ...takes });
  });

  test("is whole numbers above 0 for every type as it may be asked for", () => {
    for (const resourceType of resourceTypes) {
      const amounts = amountsOf({ resourceType, specification: shapes[resourceType]?.whole ?? {} });
      for (const amount of Object.values(amounts))
        expect(Number.isSafeInteger(amount) && amount >= 0).toBe(true);
    }
  });

  test("can be added and taken away again", () => {
    const [one, other] = [
      { ...nothing, instances: 1, vcpu: 2 },
      { ...nothing, instances: 1, storageGb: 7 },
    ];
    expect(plus(one, other)).toEqual({ ...nothing, instances: 2, vcpu: 2, storageGb: 7 });
    expect(minus(plus(one, other), other)).toEqual(one);
    expect(Object.values(nothing)).toEqual(Array(7).fill(0));
  });
});
