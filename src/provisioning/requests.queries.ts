import { and, eq, type SQL, sql } from "drizzle-orm";
import * as v from "valibot";
import { notFound } from "../../schema/errors.ts";
import type { TenantScope } from "../../schema/permissions.ts";
import {
  type RequestState,
  requestStatuses,
  provisioningRequests as requests,
} from "../../schema/provisioning/request.ts";
import { resourceTypes } from "../../schema/provisioning/specification.ts";
import { auditEntries } from "../../schema/runtime/audit-entry.ts";
import { exampleId, ForeignId, isId, text } from "../../schema/values.ts";
import type { World } from "../../schema/world.ts";
import type { Call } from "../http/call.ts";
import { listPage, listQuery } from "../http/paging.ts";
import { auditView, requestView } from "./requests.views.ts";

/** What every list of requests can be asked for beside a status. */
export const requestFilters = {
  clusterId: v.optional(
    v.pipe(text(1, 64), v.description("Those placed on this cluster."), v.examples([exampleId])),
  ),
  resourceType: v.optional(v.pipe(v.picklist(resourceTypes), v.description("Those of this type."))),
  tenantId: v.optional(
    v.pipe(
      ForeignId,
      v.description("Those of this tenant; another than yours is for staff."),
      v.examples([exampleId]),
    ),
  ),
};

/** What the list of requests can be asked for. */
export const ListRequests = listQuery(["-createdAt", "createdAt"], {
  ...requestFilters,
  status: v.optional(v.pipe(v.picklist(requestStatuses), v.description("Those with this status."))),
});

/** The lists that take no filters. */
export const ListOfOrder = listQuery(["-createdAt", "createdAt"], {});
export const ListAudit = listQuery(["version", "-version"], {});

/** The requests of these tenants. */
export const inScope = (scope: TenantScope): SQL | undefined =>
  scope === null ? undefined : eq(requests.tenantId, scope);

/** One request; throws `not_found` when there is none in the scope. */
export async function findRequest({ db }: World, scope: TenantScope, id: string): Promise<RequestState> {
  const [found] = isId(id)
    ? await db
        .select()
        .from(requests)
        .where(and(eq(requests.id, id), inScope(scope)))
    : [];
  if (!found) throw notFound("provisioning request");
  return found;
}

const columns = { createdAt: requests.createdAt };

/** A page of the requests in the caller's scope. */
export async function listRequests(world: World, call: Call, query: v.InferOutput<typeof ListRequests>) {
  const { clusterId, status, resourceType, tenantId } = query;
  const where = [
    inScope(call.scope),
    clusterId === undefined ? undefined : isId(clusterId) ? eq(requests.clusterId, clusterId) : sql`false`,
    status && eq(requests.status, status),
    resourceType && eq(requests.resourceType, resourceType),
    tenantId === undefined ? undefined : eq(requests.tenantId, tenantId),
  ];
  return (await listPage(world, call, { table: requests, columns, where }, query)).map(requestView);
}

/** A page of the requests that an order has led to. */
export async function requestsOfOrder(
  world: World,
  call: Call,
  orderId: string,
  query: v.InferOutput<typeof ListOfOrder>,
) {
  const where = [eq(requests.orderId, orderId), inScope(call.scope)];
  return (await listPage(world, call, { table: requests, columns, where }, query)).map(requestView);
}

/** A page of the audit trail of a request, oldest first. */
export async function auditOf(world: World, call: Call, id: string, query: v.InferOutput<typeof ListAudit>) {
  await findRequest(world, call.scope, id);
  const listed = {
    table: auditEntries,
    columns: { version: auditEntries.version },
    where: [eq(auditEntries.recordId, id)],
  };
  return (await listPage(world, call, listed, query)).map(auditView);
}
