import { Elysia } from "elysia";
import * as v from "valibot";
import { Statistics, WorkerStatus } from "../../schema/provisioning/overview.ts";
import { ProvisioningRequest } from "../../schema/provisioning/request-bodies.ts";
import { endpoint } from "../http/endpoint.ts";
import { idiom } from "../http/idiom.ts";
import type { Landfall } from "../landfall.ts";
import { ListInstances, statistics, workerStatus } from "./overview.queries.ts";
import { listRequests } from "./requests.queries.ts";

const tag = "Provisioning requests";

/** What provisioning has made and has in hand, seen as a whole. */
export const overviewRoutes = (landfall: Landfall) => {
  const { world } = landfall;
  return new Elysia({ prefix: "/provisioning" })
    .use(idiom(landfall))
    .get(
      "/stats",
      ({ call }) => statistics(world, call.scope),
      endpoint({
        id: "getStatistics",
        tag,
        may: "requests.read",
        summary: "Get statistics (counts by status and resource type)",
        description: "Of the own tenant; of the whole platform for staff and services.",
        answer: Statistics,
      }),
    )
    .get(
      "/instances",
      ({ call, query }) => listRequests(world, call, query),
      endpoint({
        id: "listInstances",
        tag,
        may: "requests.read",
        summary: "List active service instances",
        description: "The provisioning requests whose services are there in the `status` asked for.",
        query: ListInstances,
        answer: v.array(ProvisioningRequest),
        list: true,
      }),
    )
    .get(
      "/worker-status",
      () => workerStatus(landfall),
      endpoint({
        id: "getWorkerStatus",
        tag,
        may: "requests.drive",
        summary: "Get provisioning worker status",
        description:
          "The processes that run, the jobs they work on, and how far the consumer groups are behind. 503 while Redis is away.",
        answer: WorkerStatus,
      }),
    );
};
