import type { Task } from "./task.ts";
import { inTurn, turnsOf } from "./turns.ts";

/** Something that carries a request's tag. */
export interface Made {
  id: string;
  /** When it was made, as the service says it. */
  since: string;
}

/** What carries the tag, or else what `make` makes. */
export async function findOrMake<T extends Made>(
  task: Task,
  list: () => Promise<T[]>,
  make: () => Promise<unknown>,
): Promise<T> {
  await inTurn(task, async () => {
    if ((await list()).length === 0) await make();
  });
  return task.cloud.until(async () => eldest(await list())[0]);
}

/** The oldest first: where a crash left two, every process keeps the same one. */
export const eldest = <T extends Made>(found: T[]): T[] =>
  [...found].sort((a, b) => a.since.localeCompare(b.since) || a.id.localeCompare(b.id));

/** The one that stays; the others, which nobody knows of, are removed. */
export async function keepOne<T extends Made>(
  found: T[],
  remove: (orphan: T) => Promise<void>,
): Promise<T | undefined> {
  const [kept, ...orphans] = eldest(found);
  for (const orphan of orphans) await remove(orphan);
  return kept;
}

/**
 * Removes until nothing is left. Where nothing was there at first it looks once more, since what a crash cut off may
 * only now have been made.
 */
export async function removeAll<T>(
  task: Task,
  list: () => Promise<T[]>,
  remove: (each: T) => Promise<void>,
): Promise<void> {
  await turnsOf(task);
  let looks = 0;
  let seen = false;
  await task.cloud.until(async () => {
    const found = await list();
    looks += 1;
    seen ||= found.length > 0;
    if (found.length === 0 && (seen || looks > 1)) return true;
    for (const each of found) await remove(each);
    return undefined;
  });
}
