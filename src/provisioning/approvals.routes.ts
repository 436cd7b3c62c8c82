import { Elysia } from "elysia";
import * as v from "valibot";
import { alreadyDecided } from "../../actors/provisioning/approval.ts";
import { request } from "../../actors/provisioning/request.ts";
import { ServiceError } from "../../schema/errors.ts";
import { Approval, type ApprovalState, DecideApproval } from "../../schema/provisioning/approval.ts";
import type { World } from "../../schema/world.ts";
import type { Call } from "../http/call.ts";
import { endpoint } from "../http/endpoint.ts";
import { idiom } from "../http/idiom.ts";
import type { Landfall } from "../landfall.ts";
import { approvalOfRequest, approvalView, ListPending, listPending } from "./approvals.queries.ts";

const tag = "Approvals";
const decision = {
  tag,
  may: "approvals.decide",
  body: DecideApproval,
  answer: Approval,
  errors: ["not_found", "invalid_transition", "already_decided", "precondition_failed"],
} as const;

export const approvalRoutes = (landfall: Landfall) => {
  const { world } = landfall;
  return new Elysia({ prefix: "/approvals" })
    .use(idiom(landfall))
    .get(
      "/pending",
      ({ call, query }) => listPending(world, call, query),
      endpoint({
        id: "listPendingApprovals",
        tag,
        may: "approvals.decide",
        summary: "List the approvals that wait for a decision",
        description: "The oldest first.",
        query: ListPending,
        answer: v.array(Approval),
        list: true,
      }),
    )
    .get(
      "/request/:provisioningRequestId",
      async ({ call, params }) =>
        approvalView(await approvalOfRequest(world, call.scope, params.provisioningRequestId)),
      endpoint({
        id: "getApprovalOfRequest",
        tag,
        may: "approvals.read",
        summary: "Get the approval of a provisioning request",
        description: "404 where none was needed.",
        answer: Approval,
        errors: ["not_found"],
      }),
    )
    .post(
      "/:provisioningRequestId/approve",
      ({ call, params, body }) => decide(world, call, "approve", params.provisioningRequestId, body),
      endpoint({
        id: "approveRequest",
        ...decision,
        summary: "Approve a provisioning request",
        description:
          "Once as many have approved as its rule asks for, it is `PENDING`, and waits to be started; one that an order wants starts by itself. Nobody decides twice, or on a request of their own.",
      }),
    )
    .post(
      "/:provisioningRequestId/reject",
      ({ call, params, body }) => decide(world, call, "reject", params.provisioningRequestId, body),
      endpoint({
        id: "rejectRequest",
        ...decision,
        summary: "Reject a provisioning request",
        description: "One rejection is enough.",
      }),
    );
};

/** Sends a decision and answers the approval. */
async function decide(
  world: World,
  call: Call,
  verb: "approve" | "reject",
  id: string,
  body: v.InferOutput<typeof DecideApproval>,
): Promise<Approval> {
  const { kind, id: callerId } = call.caller;
  if (kind === "user" && body.adminId !== callerId)
    throw new ServiceError("forbidden", "The adminId must be your own id.");
  try {
    return await call.send(request[verb], id, body, (_, __, [changed]) =>
      approvalView(changed as ApprovalState),
    );
  } catch (error) {
    // Whoever has decided already is told so, whatever has become of the request since.
    if (
      error instanceof ServiceError &&
      error.code === "invalid_transition" &&
      (await hasDecided(world, id, body))
    )
      throw alreadyDecided();
    throw error;
  }
}

async function hasDecided(world: World, id: string, { adminId }: { adminId: string }): Promise<boolean> {
  const found = await approvalOfRequest(world, null, id).catch(() => null);
  return found?.decisions.some((decision) => decision.adminId === adminId) ?? false;
}
