import * as v from "valibot";
import { Worker } from "../runtime/worker.ts";
import { object, textLike } from "../values.ts";
import { requestStatuses } from "./request.ts";
import { resourceTypes } from "./specification.ts";

const count = v.pipe(v.number(), v.integer(), v.minValue(0), v.examples([0]));

/** A count for each of these names. */
const countsOf = <T extends string>(names: readonly T[]) =>
  object(Object.fromEntries(names.map((name) => [name, count])) as Record<T, typeof count>);

/** How many provisioning requests there are. */
export const Statistics = v.pipe(
  object({
    total: count,
    byStatus: v.pipe(countsOf(requestStatuses), v.description("They add up to `total`.")),
    byResourceType: v.pipe(countsOf(resourceTypes), v.description("They add up to `total`.")),
  }),
  v.title("ProvisioningStatistics"),
);
export type Statistics = v.InferOutput<typeof Statistics>;

/** The statuses of a service that is there. */
export const instanceStatuses = ["ACTIVE", "SUSPENDED", "DEPROVISIONING"] as const;

/** What the platform has in hand, and what waits. */
export const WorkerStatus = v.pipe(
  object({
    workers: v.pipe(v.array(Worker), v.description("The longest running first.")),
    jobs: v.array(
      object({
        kind: textLike("provisioning.drive"),
        due: v.pipe(count, v.description("Could begin, and nobody has them in hand.")),
        running: v.pipe(count, v.description("In somebody's hands.")),
        failed: v.pipe(count, v.description("Failed, and wait for their next try.")),
      }),
    ),
    groups: v.array(
      object({
        group: textLike("provisioning"),
        lag: v.pipe(count, v.description("Events that it has not been given yet.")),
        pending: v.pipe(count, v.description("Events that it was given and has not finished.")),
        deadLetters: v.pipe(count, v.description("Events that it gave up, not yet replayed or discarded.")),
      }),
    ),
  }),
  v.title("WorkerStatus"),
);
export type WorkerStatus = v.InferOutput<typeof WorkerStatus>;
