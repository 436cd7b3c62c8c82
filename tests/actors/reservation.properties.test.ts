import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { amountsOf, nothing, plus } from "../../actors/provisioning/amounts.ts";
import { approval } from "../../actors/provisioning/approval.ts";
import { cluster } from "../../actors/provisioning/cluster.ts";
import { quota, quotaCounter } from "../../actors/provisioning/quota.ts";
import { request } from "../../actors/provisioning/request.ts";
import { type Actor, type Command, originOf } from "../../actors/runtime/actor.ts";
import { decideUnit } from "../../actors/runtime/decide.ts";
import { Draft } from "../../actors/runtime/draft.ts";
import { ServiceError } from "../../schema/errors.ts";
import type { Amounts } from "../../schema/provisioning/amounts.ts";
import type { ApprovalRuleState } from "../../schema/provisioning/approval-rule.ts";
import type { Cluster } from "../../schema/provisioning/cluster.ts";
import type { QuotaCounter, QuotaLimits } from "../../schema/provisioning/quota.ts";
import type { RequestState } from "../../schema/provisioning/request.ts";
import type { World } from "../../schema/world.ts";
import { clusterOf, commands, inputs } from "./requests.ts";

/* Many requests of two tenants on two clusters, in one draft, as the mailbox would hold them. */

const now = new Date("2026-01-01T00:00:00.000Z");
const origin = originOf("tests", { requestId: "r", correlationId: "c" });
const limits: QuotaLimits = { maxInstances: 4, maxVcpu: 10, maxStorageGb: 300, warnPercent: 80 };
const rule = {
  ...{ id: "rule-1", name: "Large", tenantId: null, priority: 0, status: "ACTIVE" as const },
  ...{ description: null, version: 1, createdAt: now, updatedAt: now },
  condition: { field: "specification.vcpu", operator: "gte", value: 3, approval: { minApprovals: 2 } },
} satisfies ApprovalRuleState;

const resource = fc.oneof(
  fc.record({
    resourceType: fc.constant("VM"),
    specification: fc.record({
      vcpu: fc.integer({ min: 1, max: 4 }),
      memoryMb: fc.constant(1024),
      diskGb: fc.integer({ min: 10, max: 90 }),
      image: fc.constant("debian-12"),
    }),
  }),
  fc.record({
    resourceType: fc.constant("VOLUME"),
    specification: fc.record({ sizeGb: fc.integer({ min: 10, max: 200 }) }),
  }),
  fc.record({ resourceType: fc.constant("MANUAL"), specification: fc.constant({ task: "rack it" }) }),
);
const creation = fc.record({ tenantId: fc.constantFrom("tenant-1", "tenant-2"), resource });
const move = fc.oneof(
  { weight: 1, arbitrary: fc.record({ create: creation }) },
  {
    weight: 6,
    arbitrary: fc.record({
      which: fc.nat(20),
      /** Chooses among the commands that the state accepts. `delete` is an end, so it is the rarer choice. */
      choice: fc.nat(999),
      adminId: fc.constantFrom("admin-1", "admin-2"),
    }),
  },
);

/** What a history leaves, after each of its commands. */
function play(moves: readonly unknown[], check: (draft: Draft, ids: string[]) => void) {
  const draft = new Draft(now);
  for (const { table } of [cluster, request, quotaCounter]) draft.knowWhole(table);
  const ids: string[] = [];
  let made = 0;
  const world = { platform: "landfall", newId: () => `new-${String(made++).padStart(6, "0")}` } as World;
  const open: Partial<Cluster>[] = [
    { id: "a", capacity: { vcpu: 8 } },
    { id: "b", type: "MANUAL" },
  ];
  for (const set of open) draft.load(cluster.table, { ...clusterOf("SIMULATED"), isDefault: false, ...set });
  const send = (command: Command, id: string, input: object) => {
    const unit = { orders: [{ command, id, input, origin }], once: null, applied: null };
    decideUnit(world, draft, { ...unit, resolve() {}, reject() {} }, now, () => ({
      rules: [rule],
      maker: null,
    }));
  };
  const accepted = (id: string, choice: number) => {
    const { status } = draft.get(request, id) as unknown as RequestState;
    const some = [...commands].filter(
      ([name, { accepts }]) => accepts.includes(status) && (choice % 5 === 0) === (name === "delete"),
    );
    return some[choice % some.length];
  };
  for (const tenantId of ["tenant-1", "tenant-2"])
    for (const resourceType of ["VM", "VOLUME", "MANUAL"])
      send(quota.create as Command, world.newId(), { tenantId, resourceType, limits });
  for (const each of moves as ({ create: any } & { which: number; choice: number; adminId: string })[]) {
    try {
      if (each.create) {
        const id = world.newId();
        const { tenantId, resource } = each.create;
        send(request.create as Command, id, { tenantId, orderId: "o", orderItemId: "i", ...resource });
        ids.push(id);
      } else if (ids.length > 0) {
        const id = ids[each.which % ids.length] as string;
        const [name, command] = accepted(id, each.choice) ?? [];
        const input = { ...(inputs[name ?? ""] as object), adminId: each.adminId };
        if (command) send(command as Command, id, input);
      }
    } catch (refusal) {
      if (!(refusal instanceof ServiceError)) throw refusal;
    }
    check(draft, ids);
  }
}

const always = (check: Parameters<typeof play>[1]) =>
  fc.assert(
    fc.property(fc.array(move, { minLength: 20, maxLength: 100 }), (moves) => play(moves, check)),
    { numRuns: 150 },
  );

const all = <T>(draft: Draft, actor: Actor) => draft.all(actor) as unknown as T[];
const sumOf = (some: RequestState[]): Amounts =>
  some.reduce((sum, { reserved }) => plus(sum, reserved ?? nothing), nothing);

/** Of the requests in these, nothing is held any more. */
const ended = ["REJECTED", "FAILED", "ROLLBACK_FAILED", "DEPROVISIONED"];

describe("whatever becomes of the requests,", () => {
  test("the use of a quota is the sum over those of its tenant and type that hold something", () => {
    always((draft) => {
      const requests = all<RequestState>(draft, request);
      for (const { tenantId, resourceType, used } of all<QuotaCounter>(draft, quotaCounter)) {
        const own = requests.filter((one) => one.tenantId === tenantId && one.resourceType === resourceType);
        expect(used).toEqual(sumOf(own));
      }
    });
  });

  test("the use of a cluster is the sum over those that are on it", () => {
    always((draft) => {
      for (const { id, used } of all<Cluster>(draft, cluster)) {
        const own = all<RequestState>(draft, request).filter(({ clusterId }) => clusterId === id);
        expect(sumOf(own)).toMatchObject(used);
      }
    });
  });

  test("a request holds what it asked for until it has ended, and nothing after", () => {
    const seen = new Set<string>();
    always((draft) => {
      for (const state of all<RequestState>(draft, request)) {
        seen.add(state.status);
        if (ended.includes(state.status)) expect(state.reserved).toBeNull();
        // What is removed after it had failed holds nothing any more.
        else if (state.status !== "DEPROVISIONING") expect(state.reserved).toEqual(amountsOf(state));
      }
    });
    for (const status of [...ended, "PENDING_APPROVAL", "PENDING", "ACTIVE", "AWAITING_MANUAL"])
      expect(seen).toContain(status);
  });

  test("no limit is ever passed", () => {
    always((draft) => {
      for (const { used } of all<QuotaCounter>(draft, quotaCounter)) {
        expect(used.instances).toBeLessThanOrEqual(4);
        expect(used.vcpu).toBeLessThanOrEqual(10);
        expect(used.storageGb).toBeLessThanOrEqual(300);
      }
    });
  });

  test("an approval is open exactly as long as its request waits for it", () => {
    always((draft) => {
      for (const state of all<RequestState>(draft, request)) {
        if (!state.approvalId) continue;
        const { status } = draft.get(approval, state.approvalId) as unknown as { status: string };
        expect(status === "PENDING").toBe(state.status === "PENDING_APPROVAL");
      }
    });
  });
});
