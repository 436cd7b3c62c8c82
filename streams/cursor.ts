import type { World } from "../schema/world.ts";
import type { GroupDeclaration } from "./group.ts";
import { streamOf } from "./topics.ts";

/** The Redis key of the last seq published. Where it is missing, Redis has lost what the groups had. */
export const cursorKey = (platform: string): string => `${platform}.relay.cursor`;

/**
 * Makes the groups that are missing, at the start of their streams. The cursor is removed in the same step, so
 * that the relay feeds again, from the lowest mark, what a lost stream may have held.
 */
export async function renewGroups(world: World, groups: readonly GroupDeclaration[]): Promise<void> {
  const transaction = world.redis.multi();
  for (const group of groups) {
    for (const topic of group.topics) {
      transaction.xgroup("CREATE", streamOf(world.platform, topic), group.name, "0", "MKSTREAM");
    }
  }
  transaction.del(cursorKey(world.platform));
  for (const [error] of (await transaction.exec()) ?? []) {
    if (error && !error.message.startsWith("BUSYGROUP")) throw error;
  }
}
