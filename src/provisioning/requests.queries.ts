import { and, asc, eq, type SQL } from "drizzle-orm";
import * as v from "valibot";
import { ServiceError } from "../../schema/errors.ts";
import type { TenantScope } from "../../schema/permissions.ts";
import {
  type ProvisioningRequest,
  type RequestState,
  requestStatuses,
  provisioningRequests as requests,
} from "../../schema/provisioning/request.ts";
import { resourceTypes } from "../../schema/provisioning/specification.ts";
import { type AuditEntry, auditEntries } from "../../schema/runtime/audit-entry.ts";
import { ForeignId, isId, text } from "../../schema/values.ts";
import type { World } from "../../schema/world.ts";
import type { Call } from "../http/call.ts";
import { listPage, listQuery } from "../http/paging.ts";
import { auditView, requestView } from "./requests.views.ts";

/** What the list of requests can be asked for. */
export const ListRequests = listQuery(["createdAt"], {
  clusterId: v.optional(text(1, 64)),
  status: v.optional(v.picklist(requestStatuses)),
  resourceType: v.optional(v.picklist(resourceTypes)),
  tenantId: v.optional(ForeignId),
});

const inScope = (scope: TenantScope): SQL | undefined =>
  scope === null ? undefined : eq(requests.tenantId, scope);

/** One request; throws `not_found` when there is none in the scope. */
export async function findRequest({ db }: World, scope: TenantScope, id: string): Promise<RequestState> {
  const [found] = isId(id)
    ? await db
        .select()
        .from(requests)
        .where(and(eq(requests.id, id), inScope(scope)))
    : [];
  if (!found) throw new ServiceError("not_found", "There is no provisioning request with this id.");
  return found;
}

/** A page of the requests in the caller's scope. */
export async function listRequests(
  world: World,
  call: Call,
  query: v.InferOutput<typeof ListRequests>,
): Promise<ProvisioningRequest[]> {
  const { clusterId, status, resourceType, tenantId } = query;
  const rows = await listPage(world, call, requests, query, [
    inScope(call.scope),
    clusterId === undefined ? undefined : eq(requests.clusterId, clusterId),
    status && eq(requests.status, status),
    resourceType && eq(requests.resourceType, resourceType),
    tenantId === undefined ? undefined : eq(requests.tenantId, tenantId),
  ]);
  return rows.map(requestView);
}

/** The requests that an order has led to, oldest first. */
export async function requestsOfOrder(
  { db }: World,
  scope: TenantScope,
  orderId: string,
): Promise<ProvisioningRequest[]> {
  const rows = await db
    .select()
    .from(requests)
    .where(and(eq(requests.orderId, orderId), inScope(scope)))
    .orderBy(asc(requests.id));
  return rows.map(requestView);
}

/** The audit trail of a request, oldest first. */
export async function auditOf(world: World, scope: TenantScope, id: string): Promise<AuditEntry[]> {
  await findRequest(world, scope, id);
  const rows = await world.db
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.recordId, id))
    .orderBy(asc(auditEntries.version));
  return rows.map(auditView);
}
