import { and, eq } from "drizzle-orm";
import * as v from "valibot";
import { amountsOf, nothing } from "../../actors/provisioning/amounts.ts";
import { excesses, percentOf } from "../../actors/provisioning/limits.ts";
import { type Counted, counterId } from "../../actors/provisioning/quota.ts";
import { invalid } from "../../schema/errors.ts";
import { reach, type TenantScope } from "../../schema/permissions.ts";
import { type Amounts, dimensions } from "../../schema/provisioning/amounts.ts";
import {
  type LimitName,
  limitNames,
  type QuotaLimits,
  type QuotaState,
  quotaCounters,
  quotas,
} from "../../schema/provisioning/quota.ts";
import type { Quota, QuotaUsage } from "../../schema/provisioning/quota-bodies.ts";
import { resourceTypes, specifications } from "../../schema/provisioning/specification.ts";
import { exampleId, ForeignId, object } from "../../schema/values.ts";
import type { World } from "../../schema/world.ts";
import { parseJson } from "../http/bodies.ts";
import type { Call } from "../http/call.ts";
import { checked, refuse } from "../http/checks.ts";
import { findRecord, only } from "../http/finding.ts";
import { listPage, listQuery } from "../http/paging.ts";
import { recordView } from "../http/record-view.ts";

/** What the list of quotas can be asked for. */
export const ListQuotas = listQuery(["-createdAt", "createdAt"], {
  tenantId: v.optional(
    v.pipe(
      ForeignId,
      v.description("Those of this tenant. Without it, those of all are for ADMIN, OPS and SALES."),
      v.examples([exampleId]),
    ),
  ),
});

/** What a use can be held against. */
export const AskUsage = object({
  resourceType: v.optional(
    v.pipe(v.picklist(resourceTypes), v.description("Of a request that might be made: see `preview`.")),
  ),
  specification: v.optional(
    v.pipe(
      v.string(),
      v.description("Its specification, as JSON."),
      v.examples(['{"vcpu":2,"memoryMb":4096,"diskGb":40,"image":"debian-12"}']),
    ),
  ),
});

/** A quota as it is answered. */
export const quotaView = (state: QuotaState): Quota => recordView(state);

const columns = { createdAt: quotas.createdAt };

/** A page of the quotas in the caller's scope. */
export async function listQuotas(world: World, call: Call, query: v.InferOutput<typeof ListQuotas>) {
  const { tenantId } = query;
  if (call.scope === null && tenantId === undefined) reach(call.caller, "quotas.write");
  const where = [only(quotas.tenantId, call.scope), only(quotas.tenantId, tenantId)];
  return (await listPage(world, call, { table: quotas, columns, where }, query)).map(quotaView);
}

/** One quota; throws `not_found` when there is none in the scope. */
export const findQuota = (world: World, scope: TenantScope, id: string): Promise<QuotaState> =>
  findRecord(world, quotas, scope, id, "quota");

/** The id of a tenant's quota of a type; undefined where there is none. */
export async function quotaIdOf({ db }: World, { tenantId, resourceType }: Counted) {
  const [found] = await db
    .select({ id: quotas.id })
    .from(quotas)
    .where(and(eq(quotas.tenantId, tenantId), eq(quotas.resourceType, resourceType)));
  return found?.id;
}

/** The limits of a tenant and type, null without a quota, and what is used. */
export async function quotaOf({ db }: World, counted: Counted) {
  const [found] = await db
    .select()
    .from(quotaCounters)
    .where(eq(quotaCounters.id, counterId(counted)));
  return found ?? unused;
}

const unused = { limits: null, used: nothing };

/** What a tenant uses of each type, and whether a request that is asked about would fit. */
export async function usageOf(
  world: World,
  tenantId: string,
  asked: v.InferOutput<typeof AskUsage>,
): Promise<QuotaUsage> {
  const requested = amountsAskedAbout(asked);
  const counters = await world.db.select().from(quotaCounters).where(eq(quotaCounters.tenantId, tenantId));
  const of = (type: string) => counters.find(({ resourceType }) => resourceType === type) ?? unused;
  const resources = resourceTypes.map((resourceType) => {
    const { limits, used } = of(resourceType);
    return { resourceType, limits: limits ?? {}, used, ...shares(limits, used) };
  });
  if (!requested) return { tenantId, resources };
  const { limits, used } = of(requested.resourceType);
  const exceeded = excesses(limits, used, requested.amounts);
  return { tenantId, resources, preview: { fits: exceeded.length === 0, exceeded } };
}

/** What is left of each limit, and how full it is; null where nothing is limited. */
function shares(limits: QuotaLimits | null, used: Amounts) {
  const names = Object.keys(limitNames) as LimitName[];
  const bounds = new Map(names.map((name) => [limitNames[name], limits?.[name] ?? -1]));
  const each = <T>(of: (limit: number, used: number) => T) =>
    Object.fromEntries(
      dimensions.map((name) => {
        const limit = bounds.get(name) ?? -1;
        return [name, limit < 0 ? null : of(limit, used[name])];
      }),
    ) as Record<(typeof dimensions)[number], T | null>;
  return { available: each((limit, used) => Math.max(limit - used, 0)), percent: each(percentOf) };
}

/** What a request would take; null where none was asked about. */
function amountsAskedAbout({ resourceType, specification }: v.InferOutput<typeof AskUsage>) {
  if (resourceType === undefined && specification === undefined) return null;
  const missing = (name: string) => [{ pointer: `query/${name}`, message: "Is required beside the other." }];
  if (resourceType === undefined) throw invalid(missing("resourceType"));
  if (specification === undefined) throw invalid(missing("specification"));
  const { output, faults } = checked(
    specifications[resourceType],
    readObject(specification),
    "query/specification/",
  );
  refuse(faults);
  return { resourceType, amounts: amountsOf({ resourceType, specification: output as object }) };
}

function readObject(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw invalid([{ pointer: "query/specification", message: "Must be JSON." }]);
  }
}
