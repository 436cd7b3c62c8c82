import * as v from "valibot";
import { isRefused } from "./faults.ts";
import { type Machine, theMachine } from "./machine.ts";
import type { Task } from "./task.ts";
import { inTurn } from "./turns.ts";

type Power = "ACTIVE" | "SHUTOFF";

/** The statuses in which a server does not run, as an operator may have brought it there, and what starts it from them. */
const starts: Record<string, string> = {
  SHUTOFF: "os-start",
  PAUSED: "unpause",
  SUSPENDED: "resume",
  SHELVED: "unshelve",
  SHELVED_OFFLOADED: "unshelve",
};

const isSo = (status: string, wanted: Power) => (wanted === "ACTIVE" ? status === wanted : status in starts);

/** Switches the request's server on or off, and waits until it is; does nothing where it is so already. */
export async function power(task: Task, wanted: Power): Promise<void> {
  let refused: unknown;
  const look = async () => {
    const machine = await theMachine(task);
    if (machine.task) return undefined;
    if (isSo(machine.status, wanted)) return true;
    if (refused) throw refused;
    await turn(task, machine, wanted).catch((error) => {
      // Something else may have been begun between the look and the call; the next look tells.
      if (!isRefused(error, 409)) throw error;
      refused = error;
    });
    return undefined;
  };
  // In turn with the look: a stop that is still on its way must not overtake the start that follows it.
  await task.cloud.until(() => inTurn(task, look));
}

async function turn({ cloud }: Task, { id, status }: Machine, wanted: Power): Promise<void> {
  const action = wanted === "SHUTOFF" ? "os-stop" : (starts[status] ?? "os-start");
  await cloud.post("compute", `/servers/${encodeURIComponent(id)}/action`, { [action]: null }, v.unknown());
}
