import * as v from "valibot";
import { FreeMap, Id, integer, line, object, Timestamp, text, textLike, Version } from "../values.ts";
import { clusterStatuses, clusterTypes } from "./cluster.ts";
import { resourceTypes } from "./specification.ts";

/* What a cluster is registered and changed with, and what is told of it. */

/** Without a user and a password: what lies in the database is no place for them. */
function isServerUrl(given: string): boolean {
  if (!/^https?:\/\/[^\s\p{Cc}]+$/iu.test(given) || !URL.canParse(given)) return false;
  const { username, password } = new URL(given);
  return username === "" && password === "";
}

const ServerUrl = v.pipe(
  text(1, 2048),
  v.check(isServerUrl, "Must be an http or https URL without user and password."),
);

/** `env:` and the name of a variable, or `file:` and the plain name of a file that is not hidden. */
export const credentialsReference = /^(env:[A-Za-z_][A-Za-z0-9_]*|file:[A-Za-z0-9_-][A-Za-z0-9._-]*)$/;

const CredentialsRef = v.pipe(
  text(1, 200),
  v.regex(credentialsReference, "Must be env: and the name of a variable, or file: and the name of a file."),
  v.description(
    "Where the secret lies, never the secret: `env:NAME`, a variable of Landfall's environment that it does not use itself, or `file:NAME`, a file in `CREDENTIALS_DIR`.",
  ),
  v.examples(["env:OPENSTACK_FRA_1"]),
);

const limit = (example: number) =>
  v.optional(v.pipe(integer(0, Number.MAX_SAFE_INTEGER), v.examples([example])));

const Capacity = v.pipe(
  object({
    vcpu: limit(512),
    memoryMb: limit(2_097_152),
    storageGb: limit(100_000),
    instances: limit(500),
  }),
  v.description("What it has room for; what is absent is unlimited. Given as a whole."),
);

const described = <S extends v.GenericSchema>(schema: S, description: string) =>
  v.pipe(schema, v.description(description));
const optionalLine = (maximum: number, description: string, example: string) =>
  v.nullable(v.pipe(line(1, maximum), v.description(description), v.examples([example])));
const flag = v.boolean("Must be true or false.");

const fields = {
  name: v.pipe(line(1, 200), v.examples(["Frankfurt 1"])),
  region: v.pipe(
    line(1, 100),
    v.description("The `region` of a specification asks for it, in the same letters."),
    v.examples(["eu-central"]),
  ),
  authUrl: v.nullable(
    v.pipe(
      ServerUrl,
      v.description("Where to sign in; of OpenStack, Keystone's version 3."),
      v.examples(["https://openstack.example.com:5000/v3"]),
    ),
  ),
  apiUrl: v.nullable(
    v.pipe(
      ServerUrl,
      v.description("Where its API is. OpenStack's catalogue tells, so that it is not used there."),
    ),
  ),
  projectName: optionalLine(200, "The project that everything is made in.", "landfall"),
  domainName: optionalLine(200, "The domain of the project.", "Default"),
  credentialsRef: v.nullable(CredentialsRef),
  supportedResourceTypes: v.nullable(
    v.pipe(
      v.array(v.picklist(resourceTypes, "Must be a resource type."), "Must be a list."),
      v.maxLength(resourceTypes.length, `Must be ${resourceTypes.length} or fewer.`),
      v.description("The types of requests that it takes; null: every type."),
      v.examples([["VM", "VOLUME", "NETWORK", "FLOATING_IP"] as never]),
    ),
  ),
  isDefault: described(
    flag,
    "Takes the requests that fit before all others. It takes the place of the type's default until then.",
  ),
  provisioningEnabled: described(flag, "False drains it: it takes no new requests, and keeps those it has."),
  capacity: v.pipe(
    v.nullable(Capacity),
    v.transform((given) => given ?? {}),
  ),
  metadata: v.pipe(
    v.nullable(
      described(
        FreeMap,
        "Settings of its driver, such as `stepTimeoutSeconds` (900), and whatever else belongs to it. Given as a whole.",
      ),
    ),
    v.transform((given) => given ?? {}),
  ),
};

/** The fields that a client can change. */
export const clusterFields = Object.keys(fields) as (keyof typeof fields)[];

export const CreateCluster = v.pipe(
  object({
    name: fields.name,
    type: v.pipe(
      v.picklist(clusterTypes, "Must be a cluster type."),
      v.description("Requests on a type without a driver are driven through the API. Can't be changed."),
    ),
    region: fields.region,
    authUrl: v.optional(fields.authUrl, null),
    apiUrl: v.optional(fields.apiUrl, null),
    projectName: v.optional(fields.projectName, null),
    domainName: v.optional(fields.domainName, null),
    credentialsRef: v.optional(fields.credentialsRef, null),
    supportedResourceTypes: v.optional(fields.supportedResourceTypes, null),
    isDefault: v.optional(fields.isDefault, false),
    provisioningEnabled: v.optional(fields.provisioningEnabled, true),
    capacity: v.optional(fields.capacity, null),
    metadata: v.optional(fields.metadata, null),
  }),
  v.title("ClusterCreate"),
);
export type CreateCluster = v.InferOutput<typeof CreateCluster>;

export const UpdateCluster = v.pipe(
  object(v.partial(v.strictObject(fields)).entries),
  v.title("ClusterUpdate"),
  v.examples([{ provisioningEnabled: false }]),
);
export type UpdateCluster = v.InferOutput<typeof UpdateCluster>;

const amount = (example: number) => v.pipe(v.number(), v.integer(), v.examples([example]));

/** A cluster as it is answered. */
export const Cluster = v.pipe(
  object({
    id: Id,
    name: textLike("Frankfurt 1"),
    type: v.picklist(clusterTypes),
    region: textLike("eu-central"),
    authUrl: v.nullable(textLike("https://openstack.example.com:5000/v3")),
    apiUrl: v.nullable(v.string()),
    projectName: v.nullable(textLike("landfall")),
    domainName: v.nullable(textLike("Default")),
    credentialsRef: v.nullable(textLike("env:OPENSTACK_FRA_1")),
    supportedResourceTypes: v.nullable(v.array(v.picklist(resourceTypes))),
    isDefault: v.boolean(),
    provisioningEnabled: v.pipe(v.boolean(), v.examples([true])),
    capacity: Capacity,
    used: v.pipe(
      object({
        vcpu: amount(12),
        memoryMb: amount(49_152),
        storageGb: amount(480),
        instances: amount(6),
      }),
      v.description("What the requests placed on it hold."),
    ),
    metadata: FreeMap,
    status: v.pipe(
      v.picklist(clusterStatuses),
      v.description(
        "What the last test said; `UNKNOWN` before the first, and after a change of where and how it is reached.",
      ),
      v.examples(["HEALTHY"]),
    ),
    version: Version,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
  v.title("Cluster"),
);
export type Cluster = v.InferOutput<typeof Cluster>;

const ok = (description: string) => v.pipe(v.boolean(), v.description(description), v.examples([true]));
const latencyMs = v.pipe(integer(0, Number.MAX_SAFE_INTEGER), v.examples([42]));
const detail = v.pipe(
  textLike("The project has room."),
  v.description("What failed, in one sentence, else what was tried last."),
);

/** What a test of the connection came to. */
export const ConnectionTest = v.pipe(
  object({
    ok: ok("Whether it can be worked with."),
    latencyMs,
    detail,
    checks: v.pipe(
      v.array(
        object({
          name: textLike("token"),
          ok: ok("Whether that worked."),
          detail: textLike("Signed in to the project."),
        }),
      ),
      v.description("What was tried, in order, up to the first thing that failed."),
    ),
  }),
  v.title("ConnectionTest"),
);
export type ConnectionTest = v.InferOutput<typeof ConnectionTest>;

/** How a registered cluster does. */
export const ProviderHealth = v.pipe(
  object({
    clusterId: Id,
    name: textLike("Frankfurt 1"),
    type: v.picklist(clusterTypes),
    ok: ok("Whether it can be worked with."),
    latencyMs,
    detail,
    checkedAt: Timestamp,
    since: v.pipe(Timestamp, v.description("Since when `ok` is what it is.")),
  }),
  v.title("ProviderHealth"),
);
export type ProviderHealth = v.InferOutput<typeof ProviderHealth>;
