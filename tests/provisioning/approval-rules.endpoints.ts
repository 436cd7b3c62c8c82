import { type Endpoint, neverEchoed, type Scene } from "../endpoint.ts";
import { vm } from "../house.ts";

const owned = ["id", "createdAt", "updatedAt", "version"];

/** Other rows' requests have other orders. */
const condition = { field: "orderId", operator: "eq", value: "held-back" };
const newRule = () => ({ name: "Held back", condition });

const target = async ({ admin }: Scene) =>
  (await admin.call("POST", "/api/approvals/rules", newRule())).data.id as string;

/** Values that no rule takes; `approval-rules.conditions.test.ts` tells of the conditions. */
const wrong = [
  ["/name", ""],
  ["/name", null],
  ["/name", [neverEchoed]],
  ["/name", neverEchoed.repeat(20)],
  ["/name", "two\nlines"],
  ["/description", 5],
  ["/description", "x".repeat(10_001)],
  ["/condition", null],
  ["/condition", {}],
  ["/condition", neverEchoed],
  ["/condition", [condition]],
  ["/tenantId", ""],
  ["/tenantId", 5],
  ["/tenantId", neverEchoed.repeat(5)],
  ["/priority", -1],
  ["/priority", 1001],
  ["/priority", 0.5],
  ["/priority", "1"],
  ["/priority", null],
] as const;

export const approvalRuleEndpoints: Endpoint[] = [
  {
    method: "POST",
    path: "/api/approvals/rules",
    may: "approval-rules.write",
    status: 201,
    body: newRule,
    wrong: [["/name", undefined], ["/condition", undefined], ...wrong],
    owned: [...owned, "status"],
  },
  { method: "GET", path: "/api/approvals/rules", may: "approval-rules.read", status: 200, list: true },
  { method: "GET", path: "/api/approvals/rules/{id}", may: "approval-rules.read", status: 200, target },
  {
    method: "PATCH",
    path: "/api/approvals/rules/{id}",
    may: "approval-rules.write",
    status: 200,
    target,
    body: () => ({ status: "INACTIVE" }),
    wrong: [...wrong, ["/status", "PAUSED"], ["/status", null]],
    owned,
  },
  {
    method: "DELETE",
    path: "/api/approvals/rules/{id}",
    may: "approval-rules.write",
    status: 200,
    target,
  },
  {
    method: "POST",
    path: "/api/approvals/rules/preview",
    may: "approval-rules.write",
    status: 200,
    body: () => ({ condition, sample: vm("tenant-1") }),
    wrong: [
      ["/condition", undefined],
      ["/condition", {}],
      ["/condition/operator", neverEchoed],
      ["/sample", undefined],
      ["/sample/tenantId", ""],
      ["/sample/specification/vcpu", 0],
      ["/sample/resourceType", neverEchoed],
    ],
    owned: ["rules", "matches", "decidedBy"],
  },
];
