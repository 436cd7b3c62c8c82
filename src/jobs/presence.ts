import { hostname } from "node:os";
import type { Worker } from "../../schema/runtime/worker.ts";
import type { World } from "../../schema/world.ts";
import { createPauses, insist } from "../../streams/pauses.ts";

const beatMs = 2000;
const goneAfterMs = 15_000;

/** A Redis hash: the process's id → the rest of what it says of itself. */
const presenceKey = ({ platform }: World) => `${platform}.workers`;

/** Shows every two seconds that this process runs, and how many jobs it has in hand, until `stop`. */
export function startPresence(
  world: World,
  roles: Worker["roles"],
  inFlight: () => number,
): { stop(): Promise<void> } {
  const pauses = createPauses();
  const key = presenceKey(world);
  const startedAt = world.now();
  const show = async () => {
    const now = await redisNow(world);
    const self = { roles, host: hostname(), startedAt, lastSeenAt: now, inFlight: inFlight() };
    await world.redis.hset(key, world.instance, JSON.stringify(self));
    const gone = (await allWorkers(world)).filter((worker) => !isThere(worker, now));
    if (gone.length > 0) await world.redis.hdel(key, ...gone.map(({ id }) => id));
  };
  const run = async () => {
    while (!pauses.ended) {
      await insist(pauses, show).catch(() => {}); // only once it is stopped
      await pauses.pause(beatMs);
    }
  };
  const running = run();
  return {
    async stop() {
      pauses.end();
      await running;
      await world.redis.hdel(key, world.instance).catch(() => {}); // without Redis it is forgotten in time
    },
  };
}

/** The processes that showed themselves in the last 15 s, the longest running first; rejects while Redis is away. */
export async function presentWorkers(world: World): Promise<Worker[]> {
  const now = await redisNow(world);
  const present = (await allWorkers(world)).filter((worker) => isThere(worker, now));
  return present.sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
}

async function allWorkers(world: World): Promise<Worker[]> {
  const entries = Object.entries(await world.redis.hgetall(presenceKey(world)));
  return entries.map(([id, told]) => ({ id, ...(JSON.parse(told) as Omit<Worker, "id">) }));
}

/** The one clock that all processes see. */
async function redisNow({ redis }: World): Promise<Date> {
  const [seconds, microseconds] = await redis.time();
  return new Date(Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000));
}

const isThere = ({ lastSeenAt }: Worker, now: Date): boolean =>
  now.getTime() - Date.parse(lastSeenAt) <= goneAfterMs;
