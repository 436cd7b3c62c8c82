import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { invalid } from "../../schema/errors.ts";
import type { Cluster } from "../../schema/provisioning/cluster.ts";
import { credentialsReference } from "../../schema/provisioning/cluster-bodies.ts";
import { type Config, environmentValue, ownVariables } from "../config.ts";
import type { Site } from "./drivers/driver.ts";
import { DriverError } from "./drivers/driver-error.ts";

/** A cluster as its driver sees it. */
export const siteOf = (config: Config, cluster: Cluster): Site => ({
  ...cluster,
  secret: () => readSecret(config, cluster.credentialsRef),
});

/**
 * The secret that a cluster's `credentialsRef` names: `env:NAME`, or `file:NAME` below `CREDENTIALS_DIR`. Read anew
 * each time, so that a changed one counts at once. A `DriverError` of `CREDENTIALS_MISSING` says what is not there.
 */
export async function readSecret({ CREDENTIALS_DIR }: Config, reference: string | null): Promise<string> {
  if (!reference || !credentialsReference.test(reference))
    throw missing("The cluster has no credentialsRef.");
  const [kind, name = ""] = reference.split(":");
  if (kind === "env") {
    const value = environmentValue(name);
    if (!value) throw missing(`The environment variable ${name} is not set.`);
    return value;
  }
  if (!CREDENTIALS_DIR) throw missing("CREDENTIALS_DIR is not set, so that no file can be read.");
  const text = await readFile(join(CREDENTIALS_DIR, name), "utf8").catch(() => null);
  if (!text?.trim())
    throw missing(`There is no readable file ${name} below CREDENTIALS_DIR, or it is empty.`);
  return text.trim();
}

const missing = (message: string) => new DriverError("CREDENTIALS_MISSING", message);

/** Refuses a `credentialsRef` that names a variable which Landfall reads for itself: its value is for no cluster. */
export function withoutOwnVariable<B extends { credentialsRef?: string | null }>(body: B): B {
  if (ownVariables.some((name) => body.credentialsRef === `env:${name}`)) {
    const message = "Must not name a variable that Landfall uses itself.";
    throw invalid([{ pointer: "/credentialsRef", message }]);
  }
  return body;
}
