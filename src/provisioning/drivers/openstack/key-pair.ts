import * as v from "valibot";
import { isRefused } from "./faults.ts";
import type { Task } from "./task.ts";

/** Makes the key pair of a new server, by the request's tag; one that is there is from an earlier try. */
export async function makeKeyPair({ cloud, tag }: Task, publicKey: string): Promise<void> {
  const keypair = { name: tag, type: "ssh", public_key: publicKey.trim() };
  await cloud.post("compute", "/os-keypairs", { keypair }, v.unknown()).catch((error) => {
    if (!isRefused(error, 409)) throw error;
  });
}

export const removeKeyPair = ({ cloud, tag }: Task): Promise<unknown> =>
  cloud.delete("compute", `/os-keypairs/${encodeURIComponent(tag)}`);
