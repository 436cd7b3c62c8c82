import type { World } from "../schema/world.ts";
import { insist, type Pauses } from "./pauses.ts";

/**
 * Acknowledges entries, those of one turn of the event loop together. Resolves when Redis has confirmed;
 * rejects only once the pauses have ended.
 */
export function createAcknowledge(
  world: World,
  group: string,
  pauses: Pauses,
): (stream: string, id: string) => Promise<void> {
  let waiting = new Map<string, string[]>();
  let next: Promise<void> | undefined;
  const send = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    const batch = waiting;
    waiting = new Map();
    next = undefined;
    await insist(pauses, async () => {
      const pipeline = world.redis.pipeline();
      for (const [stream, ids] of batch) pipeline.xack(stream, group, ...ids);
      for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
    });
  };
  return (stream, id) => {
    const ids = waiting.get(stream);
    if (ids) ids.push(id);
    else waiting.set(stream, [id]);
    next ??= send();
    return next;
  };
}
