import * as v from "valibot";
import { DriverError } from "../driver-error.ts";
import { reported } from "./faults.ts";
import { theOne } from "./made.ts";
import type { Task } from "./task.ts";

const Machine = v.pipe(
  v.object({
    id: v.string(),
    name: v.string(),
    status: v.string(),
    created: v.string(),
    tags: v.optional(v.array(v.string()), []),
    metadata: v.optional(v.record(v.string(), v.string()), {}),
    "OS-EXT-STS:task_state": v.nullish(v.string(), null),
    flavor: v.optional(v.object({ original_name: v.optional(v.string()) }), {}),
    addresses: v.optional(
      v.record(
        v.string(),
        v.array(
          v.object({ addr: v.string(), version: v.number(), "OS-EXT-IPS:type": v.optional(v.string()) }),
        ),
      ),
      {},
    ),
    fault: v.nullish(v.object({ message: v.optional(v.string(), "") })),
  }),
  v.transform(({ created, "OS-EXT-STS:task_state": task, ...rest }) => ({ ...rest, since: created, task })),
);
/** A Nova server. `task` is what is being done to it. */
export type Machine = v.InferOutput<typeof Machine>;

/** The servers that carry the request's tag. */
export async function machinesOf({ cloud, tag }: Task): Promise<Machine[]> {
  const path = `/servers/detail?tags=${encodeURIComponent(tag)}`;
  const { servers } = await cloud.get("compute", path, v.object({ servers: v.array(Machine) }));
  // A service that passed over the filter would name the servers of others.
  return servers.filter(({ tags }) => tags.includes(tag));
}

/** Those of them that are not on their way out. */
export const standingMachines = async (task: Task): Promise<Machine[]> =>
  (await machinesOf(task)).filter((machine) => machine.task !== "deleting");

/** A server by its id. */
export async function machineById({ cloud }: Task, id: string): Promise<Machine> {
  const path = `/servers/${encodeURIComponent(id)}`;
  return (await cloud.get("compute", path, v.object({ server: Machine }))).server;
}

export const removeMachine = ({ cloud }: Task, { id }: Machine): Promise<unknown> =>
  cloud.delete("compute", `/servers/${encodeURIComponent(id)}`);

/** The request's server; a `DriverError` where it is gone or in an error. */
export async function theMachine(task: Task): Promise<Machine> {
  const machine = theOne(task, await standingMachines(task));
  if (!machine) throw new DriverError("SERVER_MISSING", "The machine is no longer on the cluster.");
  if (machine.status === "ERROR")
    throw reported(machine.fault?.message ?? "", "BUILD_FAILED", "The cluster could not run the machine.");
  return machine;
}

/** How it is reached without a floating address: IPv4 before IPv6. */
export const fixedAddress = ({ addresses }: Machine): string | undefined =>
  Object.values(addresses)
    .flat()
    .filter((each) => each["OS-EXT-IPS:type"] !== "floating")
    .sort((a, b) => a.version - b.version)[0]?.addr;
