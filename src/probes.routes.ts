import { Elysia } from "elysia";
import * as v from "valibot";
import { ServiceError } from "../schema/errors.ts";
import type { World } from "../schema/world.ts";
import { endpoint } from "./http/endpoint.ts";
import { idiom } from "./http/idiom.ts";
import type { Landfall } from "./landfall.ts";

const Health = v.pipe(v.strictObject({ status: v.literal("ok") }), v.title("Health"));
const common = { tag: "Probes", may: "anyone" } as const;

const health = endpoint({ id: "getHealth", ...common, summary: "Liveness probe", answer: Health });
const alive = () => ({ status: "ok" as const });

/** The gateway's own `/health`. */
export const gatewayProbe = (landfall: Landfall) =>
  new Elysia().use(idiom(landfall)).get("/health", alive, health);

/** Whether the program runs, and whether it can work. */
export const probeRoutes = (landfall: Landfall) =>
  new Elysia()
    .use(idiom(landfall))
    .get("/health", alive, health)
    .get(
      "/ready",
      () => ready(landfall.world),
      endpoint({
        id: "getReadiness",
        ...common,
        summary: "Readiness probe",
        description: "503 while the database or Redis is away.",
        answer: Health,
      }),
    );

async function ready({ pool, redis }: World) {
  try {
    await Promise.all([pool.query({ sql: "SELECT 1", timeout: 2000 }), redis.ping()]);
    return { status: "ok" as const };
  } catch {
    throw new ServiceError("unavailable", "The database or the bus is away.");
  }
}
