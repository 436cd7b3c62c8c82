import * as v from "valibot";
import { Id, integer, object, Timestamp, textLike } from "../values.ts";

/** A process of the platform, as it announced itself last. */
export const Worker = object({
  id: Id,
  roles: v.array(v.picklist(["web", "worker"])),
  host: v.pipe(textLike("node-1"), v.description("Name of the machine.")),
  startedAt: Timestamp,
  lastSeenAt: v.pipe(Timestamp, v.description("Every two seconds while it lives; shown for 15 s after.")),
  inFlight: v.pipe(
    integer(0, 10_000),
    v.description("Jobs in its hands; 0 without the role `worker`."),
    v.examples([2]),
  ),
});
export type Worker = v.InferOutput<typeof Worker>;
