import { count, eq, sql } from "drizzle-orm";
import * as v from "valibot";
import type { TenantScope } from "../../schema/permissions.ts";
import { instanceStatuses, type Statistics, type WorkerStatus } from "../../schema/provisioning/overview.ts";
import { requestStatuses, provisioningRequests as requests } from "../../schema/provisioning/request.ts";
import { resourceTypes } from "../../schema/provisioning/specification.ts";
import { deadLetters } from "../../schema/runtime/dead-letter.ts";
import { jobs } from "../../schema/runtime/job.ts";
import { Unavailable, type World } from "../../schema/world.ts";
import { lagOf } from "../../streams/lag.ts";
import { only } from "../http/finding.ts";
import { listQuery } from "../http/paging.ts";
import { presentWorkers } from "../jobs/presence.ts";
import type { Landfall } from "../landfall.ts";
import { groupsOf, jobKindsOf } from "../work.ts";
import { requestFilters } from "./requests.queries.ts";

/** What the list of services can be asked for. */
export const ListInstances = listQuery(["-createdAt", "createdAt"], {
  ...requestFilters,
  status: v.pipe(v.picklist(instanceStatuses), v.description("Those with this status.")),
});

/** How many requests of the scope there are, in one reading, so that the numbers agree. */
export async function statistics({ db }: World, scope: TenantScope): Promise<Statistics> {
  const groups = await db
    .select({ status: requests.status, resourceType: requests.resourceType, requests: count() })
    .from(requests)
    .where(only(requests.tenantId, scope))
    .groupBy(requests.status, requests.resourceType);
  const sumOf = (some: typeof groups) => some.reduce((sum, group) => sum + group.requests, 0);
  const sumsBy = <T extends string>(names: readonly T[], nameOf: (group: (typeof groups)[number]) => T) =>
    Object.fromEntries(
      names.map((name) => [name, sumOf(groups.filter((group) => nameOf(group) === name))]),
    ) as Record<T, number>;
  return {
    total: sumOf(groups),
    byStatus: sumsBy(requestStatuses, ({ status }) => status),
    byResourceType: sumsBy(resourceTypes, ({ resourceType }) => resourceType),
  };
}

/** Who works, on what, and what waits; throws `unavailable` while Redis is away. */
export async function workerStatus(landfall: Landfall): Promise<WorkerStatus> {
  const { world } = landfall;
  const groups = groupsOf(landfall);
  const ofTheBus = Promise.all([
    presentWorkers(world),
    Promise.all(groups.map((group) => lagOf(world, group))),
  ]).catch((cause) => {
    throw isAway(cause) ? new Unavailable("The bus is away.", { cause }) : cause;
  });
  const [[workers, lags], counted, letters] = await Promise.all([ofTheBus, countJobs(world), dead(world)]);
  return {
    workers,
    jobs: jobKindsOf(landfall).map(
      ({ kind }) => counted.get(kind) ?? { kind, due: 0, running: 0, failed: 0 },
    ),
    groups: groups.map(({ name }, i) => ({
      group: name,
      lag: lags[i]?.lag ?? 0,
      pending: lags[i]?.pending ?? 0,
      deadLetters: letters.get(name) ?? 0,
    })),
  };
}

/** Whether something failed since Redis is away, rather than by an answer of it or of the database, or by us. */
const isAway = (error: Error): boolean =>
  error.name !== "ReplyError" && !("sqlState" in error) && !/^(Type|Syntax)Error$/.test(error.name);

async function countJobs(world: World): Promise<Map<string, WorkerStatus["jobs"][number]>> {
  const now = world.now();
  const held = sql`COALESCE(${jobs.leaseUntil} >= ${now}, FALSE)`;
  const rowsWhere = (condition: ReturnType<typeof sql>) => sql`SUM(${condition})`.mapWith(Number);
  const rows = await world.db
    .select({
      kind: jobs.kind,
      due: rowsWhere(sql`NOT ${held} AND ${jobs.dueAt} <= ${now}`),
      running: rowsWhere(held),
      failed: rowsWhere(sql`NOT ${held} AND ${jobs.dueAt} > ${now} AND ${jobs.attempt} > 0`),
    })
    .from(jobs)
    .groupBy(jobs.kind);
  return new Map(rows.map((row) => [row.kind, row]));
}

async function dead({ db }: World): Promise<Map<string, number>> {
  const rows = await db
    .select({ group: deadLetters.group, letters: count() })
    .from(deadLetters)
    .where(eq(deadLetters.status, "DEAD"))
    .groupBy(deadLetters.group);
  return new Map(rows.map(({ group, letters }) => [group, letters]));
}
