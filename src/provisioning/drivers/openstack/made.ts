import type { Step } from "../../../../schema/provisioning/request.ts";
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
  return task.cloud.until(async () => theOne(task, await list()));
}

/** Of several that a crash or two tries at once have made: the one that a step has told of, else the oldest. */
export function theOne<T extends Made>({ request }: Task, found: T[]): T | undefined {
  const told = request.steps.flatMap(({ output }) => Object.values(output ?? {}));
  const [eldest] = found.toSorted((a, b) => a.since.localeCompare(b.since) || a.id.localeCompare(b.id));
  return found.find(({ id }) => told.includes(id)) ?? eldest;
}

/** The one that stays; the others, which nobody knows of, are removed. */
export async function keepOne<T extends Made>(
  task: Task,
  found: T[],
  remove: (orphan: T) => Promise<unknown>,
): Promise<T | undefined> {
  const kept = theOne(task, found);
  for (const each of found) if (each !== kept) await remove(each);
  return kept;
}

/**
 * Removes what these steps make, until nothing is left. Where nothing is found though one of them may have been cut
 * off while it made something, it goes on looking for as long as a call may take.
 */
export async function removeAll<T>(
  task: Task,
  steps: Step[],
  list: () => Promise<T[]>,
  remove: (each: T) => Promise<unknown>,
): Promise<void> {
  const { site, settings, until } = task.cloud;
  await turnsOf(site, task.tag);
  const lastMs = performance.now() + settings.callTimeoutSeconds * 1000;
  let sure = steps.every((step) => isOver(task, step));
  await until(async () => {
    const found = await list();
    if (found.length === 0) return sure || performance.now() >= lastMs || undefined;
    sure = true;
    for (const each of found) await remove(each);
    return undefined;
  });
}

/** Whether nobody can be at a step any more: it was never begun, it brought something, or it was refused. */
function isOver({ request }: Task, step: Step): boolean {
  const state = request.steps.find((each) => each.step === step);
  const begun = state?.startedAt || request.leftovers.includes(step);
  return !begun || Boolean(state?.output) || (state?.error ?? timeout).code !== timeout.code;
}

const timeout = { code: "STEP_TIMEOUT" };
