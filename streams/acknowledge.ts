import type { World } from "../schema/world.ts";

/**
 * Acknowledges entries, those of one turn of the event loop together. Resolves when Redis has confirmed;
 * `persist` repeats what fails.
 */
export function createAcknowledge(
  world: World,
  group: string,
  persist: (work: () => Promise<void>) => Promise<void>,
): (stream: string, id: string) => Promise<void> {
  let waiting = new Map<string, string[]>();
  let next: Promise<void> | undefined;
  const send = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    const batch = waiting;
    waiting = new Map();
    next = undefined;
    await persist(async () => {
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
