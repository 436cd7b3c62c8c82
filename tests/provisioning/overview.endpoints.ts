import type { Endpoint } from "../endpoint.ts";

const read = { method: "GET", status: 200, may: "requests.read" } as const;

export const overviewEndpoints: Endpoint[] = [
  { ...read, path: "/api/provisioning/stats", foreign: "own" },
  {
    ...read,
    path: "/api/provisioning/instances",
    query: "status=ACTIVE",
    list: true,
    foreign: "own",
    tenantIn: "query",
  },
  { ...read, path: "/api/provisioning/worker-status", may: "requests.drive" },
];
