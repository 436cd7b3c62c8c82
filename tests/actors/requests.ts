import { nothing } from "../../actors/provisioning/amounts.ts";
import { approval } from "../../actors/provisioning/approval.ts";
import { cluster as clusterActor } from "../../actors/provisioning/cluster.ts";
import { counterId, quotaCounter } from "../../actors/provisioning/quota.ts";
import { request } from "../../actors/provisioning/request.ts";
import {
  type Actor,
  type Command,
  type Decision,
  type Moment,
  originOf,
  type StoredRecord,
} from "../../actors/runtime/actor.ts";
import { decideUnit } from "../../actors/runtime/decide.ts";
import { Draft } from "../../actors/runtime/draft.ts";
import type { Done } from "../../actors/runtime/mailbox.ts";
import { type Cluster, type ClusterType, noUse } from "../../schema/provisioning/cluster.ts";
import type { RequestState, RequestStatus } from "../../schema/provisioning/request.ts";
import type { ResourceType } from "../../schema/provisioning/specification.ts";
import type { World } from "../../schema/world.ts";

/* Provisioning requests without a mailbox: the rules alone, and what the contract says of them, as data. */

/** Who carries a request out: a driver, whoever calls the API, or a person (a manual type, a manual cluster). */
export const hands = ["driver", "api", "manual", "manual cluster"] as const;
export type Hand = (typeof hands)[number];

interface Transition {
  from: RequestStatus;
  command: string;
  to: RequestStatus;
  /** Topics below `provisioning.`, in their order. */
  events: string[];
  hands: readonly Hand[];
}

const steps: readonly Hand[] = ["driver", "api"];
const people: readonly Hand[] = ["manual", "manual cluster"];
const undriven: readonly Hand[] = ["api", ...people];
const driver: readonly Hand[] = ["driver"];
const row = (
  from: RequestStatus,
  command: string,
  to: RequestStatus,
  events: string[] = [],
  hands_: readonly Hand[] = hands,
): Transition => ({ from, command, to, events, hands: hands_ });

const done = ["service-activated", "completed"];
const gone = ["deprovisioned"];

/** Every pair of a status and a command that is accepted, and what it leads to. */
export const transitions: Transition[] = [
  row("PENDING", "start", "PROVISIONING", ["started"], steps),
  row("PENDING", "start", "AWAITING_MANUAL", ["started"], people),
  row("PROVISIONING", "advance", "PROVISIONING", ["step-completed"], steps),
  row("PROVISIONING", "advance", "ACTIVE", ["step-completed", ...done], steps),
  row("PROVISIONING", "fail", "ROLLING_BACK", [], driver),
  row("PROVISIONING", "fail", "FAILED", ["failed"], ["api"]),
  row("AWAITING_MANUAL", "fail", "FAILED", ["failed"], people),
  row("AWAITING_MANUAL", "manual-complete", "ACTIVE", done, people),
  row("ROLLING_BACK", "rolled-back", "FAILED", ["rolled-back", "failed"], driver),
  row("ROLLING_BACK", "rollback-failed", "ROLLBACK_FAILED", ["failed"], driver),
  row("FAILED", "retry", "PROVISIONING", ["started"], steps),
  row("FAILED", "retry", "AWAITING_MANUAL", ["started"], people),
  row("ROLLBACK_FAILED", "retry", "PROVISIONING", ["started"], driver),
  row("ACTIVE", "suspend", "SUSPENDED", ["suspended"]),
  row("SUSPENDED", "reactivate", "ACTIVE", ["reactivated"]),
  row("PENDING_APPROVAL", "approve", "PENDING", ["approved"]),
  row("PENDING_APPROVAL", "reject", "REJECTED", ["rejected"]),
  row("PENDING_APPROVAL", "expired", "REJECTED", ["rejected"]),
  row("PENDING_APPROVAL", "delete", "DEPROVISIONED", gone),
  row("PENDING", "delete", "DEPROVISIONED", gone),
  row("REJECTED", "delete", "DEPROVISIONED", gone),
  row("PROVISIONING", "delete", "DEPROVISIONING", [], driver),
  row("PROVISIONING", "delete", "DEPROVISIONED", gone, ["api"]),
  row("AWAITING_MANUAL", "delete", "DEPROVISIONED", gone, people),
  row("ACTIVE", "delete", "DEPROVISIONING", [], driver),
  row("ACTIVE", "delete", "DEPROVISIONED", gone, undriven),
  row("SUSPENDED", "delete", "DEPROVISIONING", [], driver),
  row("SUSPENDED", "delete", "DEPROVISIONED", gone, undriven),
  row("FAILED", "delete", "DEPROVISIONING", [], driver),
  row("FAILED", "delete", "DEPROVISIONED", gone, undriven),
  row("ROLLBACK_FAILED", "delete", "DEPROVISIONING", [], driver),
  row("DEPROVISIONING", "delete", "DEPROVISIONING", [], driver),
  row("DEPROVISIONING", "deprovisioned", "DEPROVISIONED", gone, driver),
];

/** Commands that the worker alone sends; clients do not hear of them. */
const ofTheWorker = ["expired", "rolled-back", "rollback-failed", "deprovisioned", "settle"];

/** What a client may send in a status, sorted. */
export const allowedIn = (status: string): string[] => {
  const listed = transitions.filter(({ from, command }) => from === status && !ofTheWorker.includes(command));
  return [...new Set(listed.map(({ command }) => command))].sort();
};

type AnyCommand = Command<RequestState, any>;
const isCommand = (member: unknown): member is AnyCommand =>
  typeof member === "object" && member !== null && "decide" in member;

/** Every command on a request that is there. */
export const commands = new Map(
  Object.entries(request).flatMap(([name, member]) =>
    isCommand(member) && member.accepts !== "new" ? [[name, member] as const] : [],
  ),
);

export const clusterOf = (type: ClusterType): Cluster => ({
  id: `cluster-${type}`,
  name: type,
  type,
  region: "eu-1",
  authUrl: null,
  apiUrl: null,
  projectName: null,
  domainName: null,
  credentialsRef: null,
  supportedResourceTypes: null,
  isDefault: true,
  provisioningEnabled: true,
  capacity: {},
  used: noUse,
  metadata: {},
  status: "UNKNOWN",
  statusSince: null,
  version: 1,
  createdAt: new Date(0),
  updatedAt: new Date(0),
});
const placements: Record<Hand, { resourceType: ResourceType; clusters: Cluster[] }> = {
  driver: { resourceType: "VM", clusters: [clusterOf("SIMULATED")] },
  api: { resourceType: "VM", clusters: [] },
  manual: { resourceType: "MANUAL", clusters: [] },
  "manual cluster": { resourceType: "VM", clusters: [clusterOf("MANUAL")] },
};

const moment: Moment = {
  id: "request-1",
  now: new Date("2026-01-01T00:00:00.000Z"),
  caller: { id: "user-1", kind: "user", tenantId: "tenant-1", roles: [] },
  newId: () => "id-1",
  locked: () => null,
  lockedAll: () => [],
};

/** Neither rules nor API keys. */
const noRules = { rules: [], maker: null };
const specification = { vcpu: 2, memoryMb: 4096, diskGb: 40, image: "debian-12" };

/** A request as `create` makes it, for one who carries it out. */
export function created(hand: Hand): { state: RequestState; decision: Decision<RequestState> } {
  const { resourceType, clusters } = placements[hand];
  const input = {
    tenantId: "tenant-1",
    orderId: "order-1",
    orderItemId: "item-1",
    resourceType,
    specification,
  };
  const decision = (request.create as AnyCommand).decide(null as never, input, noRules, {
    ...moment,
    lockedAll: () => clusters,
  });
  const { id, now } = moment;
  const state = { ...decision.set, id, version: 1, createdAt: now, updatedAt: now } as RequestState;
  return { state: frozen(state), decision };
}

const origin = originOf("tests", { requestId: "request-1", correlationId: "correlation-1" });
const world = { platform: "landfall", newId: moment.newId } as World;

/** What the mailbox does with a command, without the mailbox; throws the refusal. */
export function applied(
  state: RequestState,
  name: string,
  input: unknown = {},
  hand: Hand = "api",
): { state: RequestState; decision: Decision<RequestState> } {
  const command = commands.get(name);
  if (!command) throw new Error(`There is no command ${name}.`);
  let decision: Decision<RequestState> = {};
  const watched: AnyCommand = {
    ...command,
    decide(...given) {
      decision = command.decide(...given);
      return decision;
    },
  };
  const draft = new Draft(moment.now);
  draft.load(request.table, state);
  loadBooks(draft, state, hand);
  const order = { command: watched as Command, id: state.id, input, origin };
  const unit = { orders: [order], once: null, applied: null, resolve() {}, reject() {} };
  const [outcome] = decideUnit(world, draft, unit, moment.now, () => noRules) as Done<unknown>[];
  if (!outcome) throw new Error("The command came to nothing.");
  return { state: frozen(outcome.state as RequestState), decision };
}

/** What a command may lock beside the request: the clusters, the quota's counter, the approval. */
function loadBooks(draft: Draft, state: RequestState, hand: Hand): void {
  const { createdAt, updatedAt, tenantId, resourceType } = state;
  const stored = { version: 1, createdAt, updatedAt };
  const load = (actor: Actor, record: StoredRecord & Record<string, unknown>) =>
    draft.load(actor.table, record);
  const used = state.reserved ?? nothing;
  const { instances, vcpu, memoryMb, storageGb } = used;
  draft.knowWhole(clusterActor.table);
  for (const found of placements[hand].clusters)
    load(clusterActor, { ...found, used: { instances, vcpu, memoryMb, storageGb } });
  load(quotaCounter, { ...stored, id: counterId(state), tenantId, resourceType, used, limits: null });
  if (state.approvalId)
    load(approval, { ...stored, id: state.approvalId, minApprovals: 1, decisions: [], onExpiry: "REJECT" });
}

/** An input that each command takes. */
export const inputs: Record<string, unknown> = {
  approve: { adminId: "admin-1" },
  reject: { adminId: "admin-1" },
  fail: { code: "NO_CAPACITY", message: "No host has room." },
  "rollback-failed": { undone: [], error: { code: "STUCK", message: "The volume is in use." } },
};

/** A request that came to a status by commands. */
export function arrived(hand: Hand, status: RequestStatus): RequestState {
  const { state } = created(hand);
  if (status === "PENDING_APPROVAL") return frozen({ ...state, status, approvalId: "approval-1" });
  if (status === "REJECTED") return frozen({ ...state, status, reserved: null });
  return (waysTo(hand)[status] ?? []).reduce(
    (before, name) => applied(before, name, inputs[name], hand).state,
    state,
  );
}

function waysTo(hand: Hand): Partial<Record<RequestStatus, string[]>> {
  const failing = hand === "driver" ? ["start", "fail", "rolled-back"] : ["start", "fail"];
  const advances = Array(4).fill("advance");
  const active = people.includes(hand) ? ["start", "manual-complete"] : ["start", ...advances];
  return {
    PROVISIONING: ["start"],
    AWAITING_MANUAL: ["start"],
    ROLLING_BACK: ["start", "fail"],
    ROLLBACK_FAILED: ["start", "fail", "rollback-failed"],
    FAILED: failing,
    ACTIVE: active,
    SUSPENDED: [...active, "suspend"],
    DEPROVISIONING: [...active, "delete"],
    DEPROVISIONED: [...active, "delete", ...(hand === "driver" ? ["deprovisioned"] : [])],
  };
}

/** The topics of a decision, below `provisioning.`. */
export const topicsOf = ({ emit = [] }: Decision<RequestState>): string[] =>
  emit.map((emission) =>
    "topic" in emission ? emission.topic.replace("provisioning.", "") : emission.stream,
  );

/** A decision that changes the state in place would be caught by this. */
function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !(value instanceof Date)) {
    for (const member of Object.values(value)) frozen(member);
    Object.freeze(value);
  }
  return value;
}
