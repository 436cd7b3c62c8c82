import * as v from "valibot";
import type { TenantScope } from "../../schema/permissions.ts";
import {
  type RequestState,
  requestStatuses,
  provisioningRequests as requests,
} from "../../schema/provisioning/request.ts";
import { resourceTypes } from "../../schema/provisioning/specification.ts";
import { exampleId, ForeignId, text } from "../../schema/values.ts";
import type { World } from "../../schema/world.ts";
import type { Call } from "../http/call.ts";
import { auditOfRecord, findRecord, only } from "../http/finding.ts";
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

/** One request; throws `not_found` when there is none in the scope. */
export const findRequest = (world: World, scope: TenantScope, id: string): Promise<RequestState> =>
  findRecord(world, requests, scope, id, "provisioning request");

const columns = { createdAt: requests.createdAt };

/** A page of the requests in the caller's scope. */
export async function listRequests(world: World, call: Call, query: v.InferOutput<typeof ListRequests>) {
  const { clusterId, status, resourceType, tenantId } = query;
  const where = [
    only(requests.tenantId, call.scope),
    only(requests.clusterId, clusterId),
    only(requests.status, status),
    only(requests.resourceType, resourceType),
    only(requests.tenantId, tenantId),
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
  const where = [only(requests.orderId, orderId), only(requests.tenantId, call.scope)];
  return (await listPage(world, call, { table: requests, columns, where }, query)).map(requestView);
}

/** A page of the audit trail of a request, oldest first. */
export async function auditOf(world: World, call: Call, id: string, query: v.InferOutput<typeof ListAudit>) {
  await findRequest(world, call.scope, id);
  return (await listPage(world, call, auditOfRecord(id), query)).map(auditView);
}

/** The items of an order that have a request already, whichever event it came of. */
export async function itemsWithRequests({ db }: World, orderId: string): Promise<Set<string>> {
  const rows = await db
    .select({ orderItemId: requests.orderItemId })
    .from(requests)
    .where(only(requests.orderId, orderId));
  return new Set(rows.map(({ orderItemId }) => orderItemId));
}

/** Whether an order waits for the approval of a request, to have it started. */
export async function startsWhenApproved({ db }: World, id: string): Promise<boolean> {
  const [found] = await db
    .select({ starts: requests.startsWhenApproved })
    .from(requests)
    .where(only(requests.id, id));
  return found?.starts ?? false;
}
