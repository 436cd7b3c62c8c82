import { type Endpoint, neverEchoed, type Scene } from "../endpoint.ts";
import { stages } from "./stages.ts";

const target = async (scene: Scene) => (await stages.PENDING_APPROVAL(scene)).id as string;

const decision = (verb: "approve" | "reject"): Endpoint => ({
  method: "POST",
  path: `/api/approvals/{provisioningRequestId}/${verb}`,
  may: "approvals.decide",
  status: 200,
  target,
  body: ({ admin }) => ({ adminId: admin.id }),
  wrong: [
    ["/adminId", undefined],
    ["/adminId", ""],
    ["/adminId", 5],
    ["/adminId", neverEchoed.repeat(5)],
    ["/comment", 5],
    ["/comment", neverEchoed.repeat(200)],
  ],
  owned: ["decision", "status", "at"],
  // All name one ADMIN, and only a service may act for somebody else.
  answers: { ADMIN: 403, OPS: 403, FINANCE: 403 },
});

export const approvalEndpoints: Endpoint[] = [
  { method: "GET", path: "/api/approvals/pending", may: "approvals.decide", status: 200, list: true },
  {
    method: "GET",
    path: "/api/approvals/request/{provisioningRequestId}",
    may: "approvals.read",
    status: 200,
    target,
    foreign: "hidden",
  },
  decision("approve"),
  decision("reject"),
];
