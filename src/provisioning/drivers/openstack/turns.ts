import type { Site } from "../driver.ts";
import type { Task } from "./task.ts";

/** What this process is doing for a request and can't be cut off, by cluster and tag. */
const turns = new Map<string, Promise<void>>();
const keyOf = ({ id }: Site, tag: string) => `${id}/${tag}`;

/**
 * Does one thing at a time for a request. A call that changes something goes on when its caller is gone, so that
 * whoever looks next in this process must see what came of it.
 */
export async function inTurn<T>(task: Task, act: () => Promise<T>): Promise<T> {
  const { cloud, tag } = task;
  const key = keyOf(cloud.site, tag);
  const turn = turnsOf(cloud.site, tag).then(act);
  const settled = turn
    .then(
      () => {},
      () => {},
    )
    .finally(() => {
      if (turns.get(key) === settled) turns.delete(key);
    });
  turns.set(key, settled);
  return turn;
}

/** Resolves when what is being done is done. */
export const turnsOf = (site: Site, tag: string): Promise<void> =>
  turns.get(keyOf(site, tag)) ?? Promise.resolve();
