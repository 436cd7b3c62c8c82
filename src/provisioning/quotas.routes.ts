import { Elysia } from "elysia";
import * as v from "valibot";
import { quota } from "../../actors/provisioning/quota.ts";
import { ServiceError } from "../../schema/errors.ts";
import { Quota, QuotaUsage, SetQuota } from "../../schema/provisioning/quota-bodies.ts";
import { resourceTypes } from "../../schema/provisioning/specification.ts";
import { Deleted, ForeignId } from "../../schema/values.ts";
import type { World } from "../../schema/world.ts";
import type { Call } from "../http/call.ts";
import { checked, refuse } from "../http/checks.ts";
import { endpoint } from "../http/endpoint.ts";
import { idiom } from "../http/idiom.ts";
import type { Landfall } from "../landfall.ts";
import {
  AskUsage,
  findQuota,
  ListQuotas,
  listQuotas,
  quotaIdOf,
  quotaView,
  usageOf,
} from "./quotas.queries.ts";

const tag = "Quotas";
const read = { tag, may: "quotas.read" } as const;
const write = { tag, may: "quotas.write" } as const;

export const quotaRoutes = (landfall: Landfall) => {
  const { world } = landfall;
  return new Elysia({ prefix: "/quotas" })
    .use(idiom(landfall))
    .get(
      "",
      ({ call, query }) => listQuotas(world, call, query),
      endpoint({
        id: "listQuotas",
        ...read,
        summary: "List quotas",
        description: "Of the own tenant; ADMIN, OPS and SALES see those of all.",
        query: ListQuotas,
        answer: v.array(Quota),
        list: true,
      }),
    )
    .get(
      "/usage/:tenantId",
      ({ params, query }) => usageOf(world, inPath(Tenant, params).tenantId, query),
      endpoint({
        id: "getQuotaUsage",
        ...read,
        summary: "Get what a tenant uses of its quotas",
        description:
          "With `resourceType` and `specification` also whether such a request would be taken, as `preview`.",
        query: AskUsage,
        answer: QuotaUsage,
      }),
    )
    .get(
      "/:id",
      async ({ call, params }) => quotaView(await findQuota(world, call.scope, params.id)),
      endpoint({
        id: "getQuota",
        ...read,
        summary: "Get a quota by ID",
        answer: Quota,
        errors: ["not_found"],
      }),
    )
    .put(
      "/:tenantId/:resourceType",
      ({ call, params, body }) => setQuota(world, call, { ...inPath(Counted, params), ...body }),
      endpoint({
        id: "setQuota",
        ...write,
        summary: "Set the quota of a tenant and resource type",
        description:
          "Takes the place of the one before. What is used above a new limit stays; nothing more is taken.",
        body: SetQuota,
        answer: Quota,
        errors: ["precondition_failed"],
      }),
    )
    .delete(
      "/:id",
      ({ call, params }) =>
        call.send(quota.delete, params.id, {}, ({ id }) => ({ id, deleted: true as const })),
      endpoint({
        id: "deleteQuota",
        ...write,
        summary: "Delete a quota",
        description: "The tenant may use as much of the type as it likes.",
        answer: Deleted,
        errors: ["not_found", "precondition_failed"],
      }),
    );
};

const Tenant = v.object({ tenantId: ForeignId });
const Counted = v.object({
  ...Tenant.entries,
  resourceType: v.picklist(resourceTypes, "Must be a resource type."),
});

/** The names in a path that are not ids of ours. */
function inPath<S extends v.GenericSchema>(schema: S, params: object): v.InferOutput<S> {
  const { output, faults } = checked(schema, params, "path/");
  refuse(faults);
  return output as v.InferOutput<S>;
}

const attempts = 3;

/** Makes the quota, or replaces the one that there is; others may make or delete it at the same time. */
async function setQuota(
  world: World,
  call: Call,
  input: v.InferOutput<typeof Counted> & SetQuota,
  attempt = 1,
): Promise<Quota> {
  const id = await quotaIdOf(world, input);
  if (id === undefined && call.request.headers.has("if-match"))
    throw new ServiceError("precondition_failed", "There is no such quota yet.");
  const sent = id
    ? call.send(quota.replace, id, input, quotaView)
    : call.send(quota.create, undefined, input, quotaView);
  return sent.catch((error) => {
    const overtaken = error instanceof ServiceError && error.code === (id ? "not_found" : "already_exists");
    if (!overtaken || attempt === attempts) throw error;
    return setQuota(world, call, input, attempt + 1);
  });
}
