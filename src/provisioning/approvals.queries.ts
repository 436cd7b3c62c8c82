import { and, desc } from "drizzle-orm";
import type * as v from "valibot";
import { notFound } from "../../schema/errors.ts";
import type { TenantScope } from "../../schema/permissions.ts";
import { type Approval, type ApprovalState, approvals } from "../../schema/provisioning/approval.ts";
import type { World } from "../../schema/world.ts";
import type { Call } from "../http/call.ts";
import { only } from "../http/finding.ts";
import { listPage, listQuery } from "../http/paging.ts";
import { recordView } from "../http/record-view.ts";

/** What the list of pending approvals can be asked for. */
export const ListPending = listQuery(["createdAt", "-createdAt"], {});

const columns = { createdAt: approvals.createdAt };

/** A page of the approvals that nobody has decided yet, the oldest first. */
export async function listPending(world: World, call: Call, query: v.InferOutput<typeof ListPending>) {
  const where = [only(approvals.status, "PENDING"), only(approvals.tenantId, call.scope)];
  return (await listPage(world, call, { table: approvals, columns, where }, query)).map(approvalView);
}

/** The latest approval of a request; throws `not_found` where none was needed, or none in the scope. */
export async function approvalOfRequest(
  { db }: World,
  scope: TenantScope,
  requestId: string,
): Promise<ApprovalState> {
  const [found] = await db
    .select()
    .from(approvals)
    .where(and(only(approvals.provisioningRequestId, requestId), only(approvals.tenantId, scope)))
    .orderBy(desc(approvals.createdAt), desc(approvals.id))
    .limit(1);
  if (!found) throw notFound("approval");
  return found;
}

/** An approval as it is answered. */
export const approvalView = ({ onExpiry, decidedAt, expiresAt, ...shown }: ApprovalState): Approval => ({
  ...recordView(shown),
  requestedAt: shown.createdAt.toISOString(),
  decidedAt: decidedAt?.toISOString() ?? null,
  expiresAt: expiresAt?.toISOString() ?? null,
});
