import * as v from "valibot";
import { DriverError } from "../driver-error.ts";
import { diagnosticsOf } from "./diagnostics.ts";
import { findFlavor } from "./flavor.ts";
import { addressFor, releaseAddresses, wantsAddress } from "./floating-ip.ts";
import { findImage } from "./image.ts";
import { makeKeyPair, removeKeyPair } from "./key-pair.ts";
import {
  fixedAddress,
  type Machine,
  machinesOf,
  removeMachine,
  standingMachines,
  theMachine,
} from "./machine.ts";
import { findOrMake, keepOne, removeAll } from "./made.ts";
import { networksFor } from "./network.ts";
import { power } from "./power.ts";
import type { Resource, Task } from "./task.ts";
import { userDataOf } from "./user-data.ts";

/** What a VM's specification says, as it was checked when it was ordered. */
interface Specification {
  vcpu: number;
  memoryMb: number;
  diskGb: number;
  image: string;
  hostname?: string;
  sshKeys?: string[];
  networkId?: string;
  userData?: string;
}
const specificationOf = ({ request }: Task) => request.specification as unknown as Specification;

/** VM: a Nova server, with a key pair and a floating address where they are asked for. */
export const server: Resource = {
  steps: {
    async ALLOCATE(task) {
      const { id, flavor } = await findOrMake(
        task,
        () => standingMachines(task),
        () => create(task),
      );
      return { instanceId: id, ...(flavor.original_name ? { flavor: flavor.original_name } : {}) };
    },
    async CONFIGURE(task) {
      await task.cloud.until(async () => isBuilt(await theMachine(task)) || undefined);
      return access(task, await onlyMachine(task));
    },
    async ACTIVATE(task) {
      await power(task, "ACTIVE");
      return { running: true };
    },
    async VERIFY(task) {
      const machine = await task.cloud.until(async () => {
        const seen = await onlyMachine(task);
        return fixedAddress(seen) ? seen : undefined;
      });
      if (machine.status !== "ACTIVE") throw new DriverError("NOT_RUNNING", "The machine does not run.");
      return { ...(await access(task, machine)), healthy: true };
    },
  },
  power,
  async destroy(task) {
    await removeAll(
      task,
      ["ALLOCATE"],
      () => machinesOf(task),
      async (machine) => {
        // A deletion that failed leaves the machine without a task, and is begun anew.
        if (machine.task !== "deleting") await removeMachine(task, machine);
      },
    );
    await releaseAddresses(task);
    await removeKeyPair(task);
  },
  async metrics(task) {
    return diagnosticsOf(task.cloud, (await theMachine(task)).id);
  },
};

const isBuilt = ({ status, task }: Machine) => status !== "BUILD" && !task;

async function create(task: Task): Promise<void> {
  const { cloud, tag, request } = task;
  const wanted = specificationOf(task);
  const [firstKey, ...furtherKeys] = wanted.sshKeys ?? [];
  const userData = userDataOf(wanted.userData, furtherKeys);
  const image = await findImage(cloud, wanted.image);
  const flavor = await findFlavor(cloud, wanted, image);
  const networks = await networksFor(task, wanted.networkId);
  if (firstKey) await makeKeyPair(task, firstKey);
  const body = {
    name: wanted.hostname ?? `vm-${request.id.slice(-12)}`,
    imageRef: image.id,
    flavorRef: flavor.id,
    networks,
    tags: [tag],
    metadata: { landfall_request: request.id, landfall_tenant: request.tenantId },
    ...(firstKey ? { key_name: tag } : {}),
    ...(userData ? { user_data: userData } : {}),
    ...(cloud.settings.securityGroups
      ? { security_groups: cloud.settings.securityGroups.map((name) => ({ name })) }
      : {}),
  };
  await cloud.post(
    "compute",
    "/servers",
    { server: body },
    v.object({ server: v.object({ id: v.string() }) }),
  );
}

/** The request's server, when the others are on their way out. */
async function onlyMachine(task: Task): Promise<Machine> {
  await keepOne(task, await standingMachines(task), (orphan) => removeMachine(task, orphan));
  return theMachine(task);
}

async function access(task: Task, machine: Machine): Promise<Record<string, unknown>> {
  const { id: instanceId, name: hostname } = machine;
  if (wantsAddress(task)) return { instanceId, hostname, ...(await addressFor(task, instanceId)) };
  const ipAddress = fixedAddress(machine);
  return { instanceId, hostname, ...(ipAddress ? { ipAddress } : {}) };
}
