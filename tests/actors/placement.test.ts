import { describe, expect, test } from "bun:test";
import { place } from "../../actors/provisioning/placement.ts";
import type { Cluster } from "../../schema/provisioning/cluster.ts";
import type { ResourceType } from "../../schema/provisioning/specification.ts";
import { applied, created } from "./requests.ts";

const cluster = (name: string, set: Partial<Cluster>): Cluster => ({
  ...{
    id: name,
    version: 1,
    createdAt: new Date(0),
    updatedAt: new Date(0),
    name,
    type: "SIMULATED",
    region: "eu",
  },
  ...{ supportedResourceTypes: null, isDefault: false, provisioningEnabled: true, metadata: {} },
  ...set,
});

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
  ];
  test.each(cases)("for a %s in region %p is placed on %p, %s", (type, region, placed) => {
    expect(place(open, type, region === undefined ? {} : { region })?.id).toBe(placed as string);
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
