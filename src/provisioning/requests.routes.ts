import { Elysia } from "elysia";
import * as v from "valibot";
import { request } from "../../actors/provisioning/request.ts";
import {
  AdvanceStep,
  CreateRequest,
  FailRequest,
  ManualComplete,
  ProvisioningRequest,
} from "../../schema/provisioning/request-bodies.ts";
import { AuditEntry } from "../../schema/runtime/audit-entry.ts";
import { endpoint } from "../http/endpoint.ts";
import { idiom } from "../http/idiom.ts";
import type { Landfall } from "../landfall.ts";
import {
  auditOf,
  findRequest,
  ListAudit,
  ListOfOrder,
  ListRequests,
  listRequests,
  requestsOfOrder,
} from "./requests.queries.ts";
import { requestView, requestWithCredentials, sealCredentials, sealOutput } from "./requests.views.ts";

const tag = "Provisioning requests";
const answer = ProvisioningRequest;
const errors = ["not_found", "invalid_transition", "precondition_failed"] as const;
const command = { tag, answer, errors } as const;
const order = { ...command, may: "requests.order" } as const;
const drive = { ...command, may: "requests.drive" } as const;
const read = { tag, may: "requests.read" } as const;

export const requestRoutes = (landfall: Landfall) => {
  const { world } = landfall;
  const { vault } = world;
  return new Elysia({ prefix: "/provisioning/requests" })
    .use(idiom(landfall))
    .post(
      "",
      ({ call, body }) => call.send(request.create, undefined, body, requestView, 201),
      endpoint({
        id: "createRequest",
        ...order,
        summary: "Create a provisioning request",
        description:
          "It waits in `PENDING`, placed on a cluster where one fits, until it is started; in `PENDING_APPROVAL` first where an approval rule matches. What it takes counts against the tenant's quota at once.",
        body: CreateRequest,
        statuses: [201],
        errors: ["quota_exceeded"],
      }),
    )
    .get(
      "",
      ({ call, query }) => listRequests(world, call, query),
      endpoint({
        id: "listRequests",
        ...read,
        summary: "List all provisioning requests",
        query: ListRequests,
        answer: v.array(answer),
        list: true,
      }),
    )
    .get(
      "/order/:orderId",
      ({ call, params, query }) => requestsOfOrder(world, call, params.orderId, query),
      endpoint({
        id: "listRequestsOfOrder",
        ...read,
        summary: "Get requests by order ID",
        description: "Empty for an order that is not yours.",
        query: ListOfOrder,
        answer: v.array(answer),
        list: true,
      }),
    )
    .get(
      "/:id",
      async ({ call, params }) =>
        requestWithCredentials(await findRequest(world, call.scope, params.id), call.caller, vault),
      endpoint({
        id: "getRequest",
        ...read,
        summary: "Get a request by ID",
        description: "With its access credentials, for users of its tenant, ADMIN and OPS.",
        answer,
        errors: ["not_found"],
      }),
    )
    .get(
      "/:id/audit",
      ({ call, params, query }) => auditOf(world, call, params.id, query),
      endpoint({
        id: "listRequestAudit",
        ...read,
        summary: "Get the audit trail of a request",
        description: "Oldest first.",
        query: ListAudit,
        answer: v.array(AuditEntry),
        list: true,
        errors: ["not_found"],
      }),
    )
    .post(
      "/:id/start",
      ({ call, params }) => call.send(request.start, params.id, {}, requestView),
      endpoint({
        id: "startRequest",
        ...drive,
        summary: "Start provisioning",
        description: "On to `ALLOCATE`; a manual one waits for a person.",
      }),
    )
    .post(
      "/:id/advance",
      ({ call, params, body }) => call.send(request.advance, params.id, sealOutput(vault, body), requestView),
      endpoint({
        id: "advanceRequest",
        ...drive,
        summary: "Advance to the next step",
        description: "After `VERIFY` the service is `ACTIVE`.",
        body: AdvanceStep,
      }),
    )
    .post(
      "/:id/fail",
      ({ call, params, body }) => call.send(request.fail, params.id, body, requestView),
      endpoint({
        id: "failRequest",
        ...drive,
        summary: "Mark the request as failed",
        description: "Where a driver works, its steps are undone first.",
        body: FailRequest,
      }),
    )
    .post(
      "/:id/manual-complete",
      ({ call, params, body }) =>
        call.send(request["manual-complete"], params.id, sealCredentials(vault, body), requestView),
      endpoint({
        id: "completeManualRequest",
        ...drive,
        summary: "Complete a manual request",
        body: ManualComplete,
      }),
    )
    .post(
      "/:id/retry",
      ({ call, params }) => call.send(request.retry, params.id, {}, requestView),
      endpoint({
        id: "retryRequest",
        ...drive,
        summary: "Retry a failed request",
        description:
          "All four steps anew, on the cluster it is on; at most `maxRetries` times. It counts against the quota again.",
        errors: [...errors, "retry_limit", "quota_exceeded"],
      }),
    )
    .post(
      "/:id/suspend",
      ({ call, params }) => call.send(request.suspend, params.id, {}, requestView),
      endpoint({ id: "suspendRequest", ...order, summary: "Suspend (stop) a service" }),
    )
    .post(
      "/:id/reactivate",
      ({ call, params }) => call.send(request.reactivate, params.id, {}, requestView),
      endpoint({ id: "reactivateRequest", ...order, summary: "Reactivate a suspended service" }),
    )
    .delete(
      "/:id",
      ({ call, params, set }) =>
        call.send(request.delete, params.id, {}, (state, before) => {
          if (!neverStarted.includes(before?.status ?? "")) set.status = 202;
          return requestView(state);
        }),
      endpoint({
        id: "deleteRequest",
        ...order,
        summary: "Delete (deprovision) a service",
        description: "200 when nothing had been made yet; 202 when the infrastructure is being removed.",
        statuses: [200, 202],
      }),
    );
};

const neverStarted = ["PENDING", "PENDING_APPROVAL", "REJECTED"];
