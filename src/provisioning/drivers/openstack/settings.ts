import * as v from "valibot";
import type { Site } from "../driver.ts";
import { DriverError } from "../driver-error.ts";

const name = v.pipe(v.string(), v.nonEmpty());
const seconds = (least: number, most: number) => v.pipe(v.number(), v.minValue(least), v.maxValue(most));

const endpointInterfaces = ["public", "internal", "admin"] as const;

/** What a cluster's `metadata` may say about OpenStack. */
const Metadata = v.object({
  /** Which of the catalogue's addresses are used. */
  interface: v.optional(v.picklist(endpointInterfaces), "public"),
  /** The catalogue's name of the region, where it is not the cluster's. */
  regionName: v.optional(name),
  /** The network of machines that name none. */
  networkId: v.optional(name),
  /** Id or name of the external network that floating addresses come from; else the only one there is. */
  floatingNetwork: v.optional(name),
  /** Each machine gets a floating address, unless its `metadata.floatingIp` is false. */
  assignFloatingIp: v.optional(v.boolean(), false),
  /** Names of the security groups of new machines; else the project's default. */
  securityGroups: v.optional(v.array(name)),
  /** The pause between two looks at something that is under way. */
  pollSeconds: v.optional(seconds(0.001, 60), 1),
  /** How long one call may take; half of a step's time at most. */
  callTimeoutSeconds: v.optional(seconds(0.01, 30), 30),
  /** A step's time, as the worker reads it. */
  stepTimeoutSeconds: v.fallback(v.pipe(v.number(), v.gtValue(0)), 900),
});

export type Settings = v.InferOutput<typeof Metadata> & {
  /** Keystone's v3 URL, without a slash at its end. */
  identityUrl: string;
  /** Empty where the cluster names none. */
  projectName: string;
  domainName: string;
};

/** How a cluster is reached; a `DriverError` of `CLUSTER_INVALID` names what is not right. */
export function settingsOf({ authUrl, projectName, domainName, metadata }: Site): Settings {
  if (!authUrl || !/^https?:$/.test(URL.parse(authUrl)?.protocol ?? ""))
    throw invalid("authUrl must be the URL of Keystone");
  const read = v.safeParse(Metadata, metadata);
  if (!read.success) throw invalid(`metadata.${v.getDotPath(read.issues[0])} is not valid`);
  const { callTimeoutSeconds, stepTimeoutSeconds } = read.output;
  return {
    ...read.output,
    callTimeoutSeconds: Math.min(callTimeoutSeconds, stepTimeoutSeconds / 2),
    identityUrl: `${authUrl.replace(/\/+$/, "").replace(/\/v3$/, "")}/v3`,
    projectName: projectName ?? "",
    domainName: domainName ?? "Default",
  };
}

const invalid = (what: string) => new DriverError("CLUSTER_INVALID", `The cluster's ${what}.`);

const Password = v.object({ username: name, password: name, userDomainName: v.optional(name) });
const ApplicationCredential = v.object({
  applicationCredentialId: name,
  applicationCredentialSecret: name,
});
const Credentials = v.union([Password, ApplicationCredential]);
export type Credentials = v.InferOutput<typeof Credentials>;

/** The credentials that a cluster's secret holds; a `DriverError` of `CREDENTIALS_INVALID`, without their value. */
export function credentialsOf(secret: string): Credentials {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), Credentials), secret);
  if (read.success) return read.output;
  throw new DriverError(
    "CREDENTIALS_INVALID",
    "The cluster's credentials must be JSON with username and password, or applicationCredentialId and applicationCredentialSecret.",
  );
}
