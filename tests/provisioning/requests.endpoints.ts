import { type Endpoint, neverEchoed, type Scene } from "../endpoint.ts";
import { vm } from "../house.ts";
import { requests, type Stage, stages } from "./stages.ts";

const owned = [
  ...["id", "status", "version", "createdAt", "updatedAt", "createdBy", "retryCount", "maxRetries", "steps"],
  ...["currentStep", "clusterId", "access", "error", "clusterType", "sealedCredentials", "settledStatus"],
];

const at = (stage: Stage) => async (scene: Scene) => (await stages[stage](scene)).id as string;

const tooLong = neverEchoed.repeat(200);

const read = (path: string, more: Partial<Endpoint> = {}): Endpoint => ({
  method: "GET",
  path: `${requests}${path}`,
  may: "requests.read",
  status: 200,
  ...more,
});

const command = (
  name: string,
  may: Endpoint["may"],
  from: Stage,
  more: Partial<Endpoint> = {},
): Endpoint => ({
  method: "POST",
  path: `${requests}/{id}/${name}`,
  may,
  status: 200,
  target: at(from),
  foreign: "hidden",
  ...more,
});

export const requestEndpoints: Endpoint[] = [
  {
    method: "POST",
    path: requests,
    may: "requests.order",
    status: 201,
    tenantIn: "body",
    body: ({ customer }) => vm(customer.tenantId),
    wrong: [
      ["/tenantId", undefined],
      ["/tenantId", ""],
      ["/tenantId", [neverEchoed]],
      ["/orderId", undefined],
      ["/orderId", neverEchoed.repeat(5)],
      ["/orderItemId", undefined],
      ["/orderItemId", 7],
      ["/resourceType", undefined],
      ["/resourceType", neverEchoed],
      ["/specification", undefined],
      ["/specification", neverEchoed],
      ["/specification/vcpu", undefined],
      ["/specification/vcpu", neverEchoed],
      ["/metadata", neverEchoed],
      ["/metadata", []],
    ],
    owned,
  },
  read("", { list: true, foreign: "own", tenantIn: "query" }),
  read("/order/{orderId}", {
    list: true,
    foreign: "empty",
    target: async (scene) => (await stages.PENDING(scene)).orderId,
  }),
  read("/{id}", { target: at("ACTIVE"), foreign: "hidden" }),
  read("/{id}/audit", { target: at("ACTIVE"), foreign: "hidden", list: true }),
  command("start", "requests.drive", "PENDING"),
  command("advance", "requests.drive", "PROVISIONING", {
    body: () => ({ output: { instanceId: "i-1" } }),
    bodyOptional: true,
    wrong: [
      ["/output", neverEchoed],
      ["/output", null],
      ["/output", []],
    ],
    owned: ["step", "run", "sealedCredentials"],
  }),
  command("fail", "requests.drive", "PROVISIONING", {
    body: () => ({ code: "NO_CAPACITY", message: "The rack is full." }),
    wrong: [
      ["/code", undefined],
      ["/code", ""],
      ["/code", neverEchoed.repeat(5)],
      ["/message", undefined],
      ["/message", tooLong],
      ["/message", { not: neverEchoed }],
    ],
    owned: ["step", "run", "status"],
  }),
  command("manual-complete", "requests.drive", "AWAITING_MANUAL", {
    body: () => ({ ipAddress: "192.0.2.1", credentials: { user: "root" } }),
    bodyOptional: true,
    wrong: [
      ["/ipAddress", neverEchoed],
      ["/ipAddress", 5],
      ["/hostname", ""],
      ["/credentials", neverEchoed],
      ["/credentials", []],
      ["/credentials/user", 5],
      ["/notes", [neverEchoed]],
    ],
    owned: ["status", "sealedCredentials"],
  }),
  command("retry", "requests.drive", "FAILED"),
  command("suspend", "requests.order", "ACTIVE"),
  command("reactivate", "requests.order", "SUSPENDED"),
  {
    method: "DELETE",
    path: `${requests}/{id}`,
    may: "requests.order",
    status: 200,
    target: at("PENDING"),
    foreign: "hidden",
  },
];
