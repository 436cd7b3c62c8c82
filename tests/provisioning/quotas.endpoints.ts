import { type Endpoint, neverEchoed, type Scene } from "../endpoint.ts";

const limits = { maxInstances: 5, maxVcpu: -1 };

const quotaOf = async ({ admin }: Scene, tenantId: string) =>
  (await admin.call("PUT", `/api/quotas/${tenantId}/VM`, { limits })).data.id as string;

export const quotaEndpoints: Endpoint[] = [
  {
    method: "GET",
    path: "/api/quotas",
    may: "quotas.read",
    status: 200,
    list: true,
    foreign: "own",
    tenantIn: "query",
    // The quotas of all are for those who set them; others name a tenant.
    answers: { FINANCE: 403, SECURITY: 403, PRODUCT: 403, service: 403 },
  },
  {
    method: "GET",
    path: "/api/quotas/{id}",
    may: "quotas.read",
    status: 200,
    target: (scene) => quotaOf(scene, scene.customer.tenantId),
    foreign: "hidden",
  },
  {
    method: "GET",
    path: "/api/quotas/usage/{tenantId}",
    may: "quotas.read",
    status: 200,
    target: ({ customer }) => customer.tenantId,
    tenantIn: "path",
  },
  {
    method: "PUT",
    path: "/api/quotas/{tenantId}/{resourceType}",
    may: "quotas.write",
    status: 200,
    target: ({ customer }) => customer.tenantId,
    further: "VM",
    body: () => ({ limits }),
    wrong: [
      ["/limits", undefined],
      ["/limits", neverEchoed],
      ["/limits", []],
      ["/limits/maxVcpu", -2],
      ["/limits/maxVcpu", 1.5],
      ["/limits/maxVcpu", neverEchoed],
      ["/limits/maxMemoryMb", null],
      ["/limits/warnPercent", 0],
      ["/limits/warnPercent", 101],
      ["/limits/maxTea", 1],
    ],
    owned: ["tenantId", "resourceType", "id", "version", "used"],
  },
  {
    method: "DELETE",
    path: "/api/quotas/{id}",
    may: "quotas.write",
    status: 200,
    target: (scene) => quotaOf(scene, Bun.randomUUIDv7()),
  },
];
