import * as v from "valibot";
import { DriverError } from "../driver-error.ts";
import { isId, orNull } from "./cloud.ts";
import { isRefused } from "./faults.ts";
import { machineById } from "./machine.ts";
import { findOrMake, keepOne, removeAll } from "./made.ts";
import type { Resource, Task } from "./task.ts";
import { inTurn } from "./turns.ts";

const Volume = v.pipe(
  v.object({
    id: v.string(),
    name: v.nullish(v.string(), ""),
    status: v.string(),
    size: v.number(),
    created_at: v.string(),
    attachments: v.optional(v.array(v.object({ server_id: v.string(), device: v.nullish(v.string()) })), []),
  }),
  v.transform(({ created_at, ...rest }) => ({ ...rest, since: created_at })),
);
type Volume = v.InferOutput<typeof Volume>;

interface Specification {
  sizeGb: number;
  volumeType?: string;
  attachTo?: string;
}
const specificationOf = ({ request }: Task) => request.specification as unknown as Specification;

/** VOLUME: a Cinder volume, attached to a server of the tenant where that is asked for. */
export const volume: Resource = {
  steps: {
    async ALLOCATE(task) {
      await serverOf(task);
      const { id } = await findOrMake(
        task,
        () => standing(task),
        () => create(task),
      );
      return { volumeId: id };
    },
    async CONFIGURE(task) {
      const { id, size } = await settled(task);
      const serverId = await serverOf(task);
      return { volumeId: id, sizeGb: size, ...(serverId ? await attach(task, serverId) : {}) };
    },
    async VERIFY(task) {
      const { id, attachments } = await settled(task);
      const serverId = await serverOf(task);
      if (serverId && !attachments.some(({ server_id }) => server_id === serverId))
        throw new DriverError("NOT_ATTACHED", "The volume is not attached to its machine.");
      return { volumeId: id, healthy: true };
    },
  },
  destroy(task) {
    const stuck = new Set<string>();
    return removeAll(
      task,
      ["ALLOCATE"],
      () => volumesOf(task),
      (each) => remove(task, each, stuck),
    );
  },
};

async function volumesOf({ cloud, tag }: Task): Promise<Volume[]> {
  const path = `/volumes/detail?name=${encodeURIComponent(tag)}`;
  const { volumes } = await cloud.get("volume", path, v.object({ volumes: v.array(Volume) }));
  return volumes.filter(({ name }) => name === tag);
}

/** Those of them that are not on their way out. */
const standing = async (task: Task) => (await volumesOf(task)).filter(({ status }) => status !== "deleting");

async function create(task: Task): Promise<void> {
  const { cloud, tag, request } = task;
  const { sizeGb, volumeType } = specificationOf(task);
  const body = {
    name: tag,
    size: sizeGb,
    metadata: { landfall_request: request.id, landfall_tenant: request.tenantId },
    ...(volumeType ? { volume_type: volumeType } : {}),
  };
  await cloud.post("volume", "/volumes", { volume: body }, v.unknown());
}

/**
 * The id, as Nova writes it, of the server that the volume is wanted on; null where none is. Tenants share the
 * project, so that the server's own word decides whose it is.
 */
async function serverOf(task: Task): Promise<string | null> {
  const { attachTo } = specificationOf(task);
  if (!attachTo) return null;
  const found = isId(attachTo) ? await orNull(machineById(task, attachTo)) : null;
  if (found?.metadata["landfall_tenant"] === task.request.tenantId) return found.id;
  throw new DriverError("SERVER_NOT_FOUND", "There is no machine of this id to attach the volume to.");
}

const resting = ["available", "in-use"];

/** The request's volume, when nothing is under way with it. */
const settled = (task: Task): Promise<Volume> =>
  task.cloud.until(async () => {
    const kept = await keepOne(task, await standing(task), (orphan) => remove(task, orphan));
    if (!kept) throw new DriverError("VOLUME_MISSING", "The volume is no longer on the cluster.");
    if (kept.status.startsWith("error"))
      throw new DriverError("BUILD_FAILED", "The cluster could not make the volume.");
    return resting.includes(kept.status) ? kept : undefined;
  });

async function attach(task: Task, serverId: string): Promise<Record<string, unknown>> {
  let failed: DriverError | undefined;
  const look = async () => {
    const { id, attachments } = await settled(task);
    const there = attachments.find(({ server_id }) => server_id === serverId);
    if (there) return { attachedTo: serverId, ...(there.device ? { device: there.device } : {}) };
    if (failed) throw failed;
    failed = new DriverError("ATTACH_FAILED", "The cluster could not attach the volume to its machine.");
    const body = { volumeAttachment: { volumeId: id } };
    const path = `/servers/${encodeURIComponent(serverId)}/os-volume_attachments`;
    await task.cloud.post("compute", path, body, v.unknown()).catch((error) => {
      // An earlier try may have attached it meanwhile; the next look tells.
      if (!isRefused(error, 400) && !isRefused(error, 409)) throw error;
      failed = error;
    });
    return undefined;
  };
  return task.cloud.until(() => inTurn(task, look));
}

/** Takes the next step towards the end of a volume. One that hangs on nothing known is left a look to free itself. */
async function remove(
  { cloud }: Task,
  { id, status, attachments }: Volume,
  stuck = new Set<string>(),
): Promise<void> {
  if (status === "error_deleting")
    throw new DriverError("DELETE_FAILED", "The cluster could not delete the volume.");
  const path = encodeURIComponent(id);
  if (status === "in-use") {
    let detaching = false;
    for (const { server_id } of attachments) {
      const attachment = `/servers/${encodeURIComponent(server_id)}/os-volume_attachments/${path}`;
      detaching = (await cloud.delete("compute", attachment)) || detaching;
    }
    if (!detaching && stuck.has(id))
      throw new DriverError("DETACH_FAILED", "The cluster could not detach the volume from its machine.");
    if (!detaching) stuck.add(id);
  } else if (status === "available" || status.startsWith("error"))
    await cloud.delete("volume", `/volumes/${path}`);
}
