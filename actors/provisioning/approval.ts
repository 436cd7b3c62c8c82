import { ServiceError } from "../../schema/errors.ts";
import { type ApprovalDecision, type ApprovalState, approvals } from "../../schema/provisioning/approval.ts";
import type { ApprovalRuleState } from "../../schema/provisioning/approval-rule.ts";
import type { RequestState } from "../../schema/provisioning/request.ts";
import {
  type Decision,
  defineActor,
  type JobOrder,
  type Lock,
  type Moment,
  type OtherChange,
} from "../runtime/actor.ts";
import { told } from "./events.ts";
import { release } from "./reservation.ts";

/** What people have said to a request that a rule holds back. It changes with its request, under both locks. */
export const approval = defineActor({
  name: "approval",
  service: "provisioning",
  table: approvals,
  audited: false,
  accepts: {},
  commands: {},
});

/** The job that ends an approval nobody has decided in time; its key is the request's id. */
export const expiryJob = "provisioning.approval-expiry";

export const approvalLock = (state: RequestState | null): Lock[] =>
  state?.status === "PENDING_APPROVAL" && state.approvalId ? [[approval, state.approvalId]] : [];

/** The approval that a rule asks for, and the job that ends it. */
export function askFor(
  { id: ruleId, name: ruleName, condition }: ApprovalRuleState,
  { id, tenantId }: Pick<RequestState, "id" | "tenantId">,
  { now, newId }: Moment,
): { approvalId: string; also: OtherChange[]; jobs: JobOrder[] } {
  const { minApprovals = 1, expiresInHours, onExpiry = "REJECT" } = condition.approval ?? {};
  const expiresAt =
    expiresInHours === undefined ? null : new Date(now.getTime() + expiresInHours * 3_600_000);
  const approvalId = newId();
  const asked = { provisioningRequestId: id, tenantId, ruleId, ruleName, minApprovals, expiresAt, onExpiry };
  const set = { ...asked, status: "PENDING", decisions: [], decidedAt: null };
  return {
    approvalId,
    also: [{ actor: approval, id: approvalId, create: true, set }],
    jobs: expiresAt ? [{ kind: expiryJob, key: id, dueAt: expiresAt }] : [],
  };
}

export interface Decided {
  adminId: string;
  comment?: string | undefined;
}

/** Whoever made the API key that the request was ordered with: it is theirs as well. */
export interface Orderer {
  maker: string | null;
}

/** The last approval that is needed lets the request go on. */
export function approve(state: RequestState, input: Decided, orderer: Orderer, moment: Moment) {
  const found = approvalOf(state, moment);
  const decisions = decided("approve", state, found, input, orderer, moment);
  // The version rises with each decision: the request's and the approval's go in step while it waits.
  return decisions.length < found.minApprovals
    ? { set: state, detail: detailOf(input), also: [changed(state, { decisions })] }
    : { ...goOn(state, { status: "APPROVED", decisions, decidedAt: moment.now }), detail: detailOf(input) };
}

/** One rejection ends it. */
export function reject(state: RequestState, input: Decided, orderer: Orderer, moment: Moment) {
  const decisions = decided("reject", state, approvalOf(state, moment), input, orderer, moment);
  const set = { status: "REJECTED", decisions, decidedAt: moment.now };
  return { ...turnDown(state, set, moment), detail: detailOf(input) };
}

/** Nobody decided in time: what its rule wants then. */
export function expired(
  state: RequestState,
  _: unknown,
  __: unknown,
  moment: Moment,
): Decision<RequestState> {
  const { onExpiry } = approvalOf(state, moment);
  const set = { status: "EXPIRED", decidedAt: moment.now };
  return onExpiry === "APPROVE" ? goOn(state, set) : turnDown(state, set, moment);
}

/** The request is deleted before anybody decided. */
export const withdraw = (state: RequestState, { now }: Moment): OtherChange[] =>
  state.status === "PENDING_APPROVAL" && state.approvalId
    ? [changed(state, { status: "EXPIRED", decidedAt: now })]
    : [];

function goOn(state: RequestState, set: Record<string, unknown>): Decision<RequestState> {
  const next: RequestState = { ...state, status: "PENDING" };
  return {
    set: next,
    also: [changed(state, set)],
    emit: [told(state.id, next, "provisioning.approved")],
  };
}

function turnDown(state: RequestState, set: Record<string, unknown>, moment: Moment): Decision<RequestState> {
  const next: RequestState = { ...state, status: "REJECTED", reserved: null };
  return {
    set: next,
    also: [changed(state, set), ...release(state, moment)],
    emit: [told(state.id, next, "provisioning.rejected")],
  };
}

const approvalOf = (state: RequestState, { locked }: Moment) =>
  locked(approval, state.approvalId as string) as ApprovalState;

const changed = ({ approvalId }: RequestState, set: Record<string, unknown>): OtherChange => ({
  actor: approval,
  id: approvalId as string,
  set,
});

/** All that was said, with what is said now; throws where this person may not say it, or not any more. */
function decided(
  command: "approve" | "reject",
  { createdBy, status: from }: RequestState,
  { decisions, expiresAt }: ApprovalState,
  { adminId, comment }: Decided,
  { maker }: Orderer,
  { now }: Moment,
): ApprovalDecision[] {
  if (adminId === createdBy || adminId === maker)
    throw new ServiceError("forbidden", "Nobody decides on a request of their own.");
  if (decisions.some((other) => other.adminId === adminId)) throw alreadyDecided();
  if (expiresAt && expiresAt <= now)
    throw new ServiceError("invalid_transition", "The time for a decision is over.", {
      ...{ from, command, allowed: ["delete"] },
    });
  const decision = command === "approve" ? "APPROVED" : "REJECTED";
  return [...decisions, { adminId, decision, comment: comment ?? null, at: now.toISOString() }];
}

const detailOf = ({ adminId, comment }: Decided) => ({ adminId, comment: comment ?? null });

/** Nobody decides twice. */
export const alreadyDecided = () =>
  new ServiceError("already_decided", "This person has decided on the request already.");
