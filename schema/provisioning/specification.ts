import { isIP } from "node:net";
import * as v from "valibot";
import { FreeMap, integer, object, text } from "../values.ts";

/** What each kind of resource must be told about itself. Unknown fields are refused. */

const name = text(1, 200);
const hostname = v.pipe(
  v.string(),
  v.regex(
    /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i,
    "Must be a host name.",
  ),
  v.description("RFC 1123 host name."),
  v.examples(["web-1"]),
);
const region = { region: v.optional(text(1, 100)) };
const vcpu = v.pipe(integer(1, 256), v.description("Virtual cores."), v.examples([2]));
const memoryMb = v.pipe(integer(256, 4_194_304), v.description("Memory in MiB."), v.examples([4096]));
const diskGb = v.pipe(integer(1, 65_536), v.description("Disk in GiB."), v.examples([40]));
const sshKeys = v.optional(
  v.pipe(v.array(text(1, 16_384)), v.maxLength(100, "Must have at most 100 entries.")),
);
const image = v.pipe(name, v.description("Name or id of the image."), v.examples(["debian-12"]));
const machine = { vcpu, memoryMb, diskGb };

export const specifications = {
  VM: object({
    ...machine,
    image,
    hostname: v.optional(hostname),
    sshKeys,
    networkId: v.optional(name),
    userData: v.optional(v.pipe(text(0, 65_536), v.description("cloud-init user data."))),
    ...region,
  }),
  BARE_METAL: object({ flavor: name, image, hostname: v.optional(hostname), sshKeys, ...region }),
  KUBERNETES: object({
    version: name,
    controlPlaneCount: integer(1, 9),
    nodePools: v.pipe(
      v.array(object({ name, count: integer(1, 1000), ...machine })),
      v.minLength(1, "Must have 1 to 20 entries."),
      v.maxLength(20, "Must have 1 to 20 entries."),
    ),
    ...region,
  }),
  VOLUME: object({
    sizeGb: diskGb,
    volumeType: v.optional(name),
    attachTo: v.optional(name),
    ...region,
  }),
  OBJECT_STORAGE: object({
    quotaGb: integer(1, 1_048_576),
    versioning: v.optional(v.boolean()),
    ...region,
  }),
  DATABASE: object({
    engine: v.picklist(["postgresql", "mysql", "mariadb", "redis"]),
    version: name,
    vcpu,
    memoryMb,
    storageGb: diskGb,
    replicas: v.optional(integer(0, 5)),
    ...region,
  }),
  LOAD_BALANCER: object({
    algorithm: v.picklist(["round_robin", "least_connections", "source_ip"]),
    listeners: v.pipe(
      v.array(object({ protocol: v.picklist(["tcp", "udp", "http", "https"]), port: integer(1, 65_535) })),
      v.minLength(1, "Must have 1 to 20 entries."),
      v.maxLength(20, "Must have 1 to 20 entries."),
    ),
    targets: v.optional(v.pipe(v.array(name), v.maxLength(1000, "Must have at most 1000 entries."))),
    ...region,
  }),
  FLOATING_IP: object({ family: v.picklist([4, 6]), ...region }),
  NETWORK: object({
    cidr: v.pipe(v.string(), v.check(isCidr, "Must be an address block such as 10.0.0.0/24.")),
    ...region,
  }),
  DNS_ZONE: object({ name, dnssecEnabled: v.optional(v.boolean()), ...region }),
  BACKUP: object({
    sourceId: text(1, 64),
    schedule: v.pipe(
      v.string(),
      v.check(isCron, "Must be a five-field cron expression."),
      v.description("Five-field cron expression, UTC."),
      v.examples(["0 3 * * *"]),
    ),
    retentionDays: integer(1, 3650),
    ...region,
  }),
  MANUAL: FreeMap,
} as const;

export const resourceTypes = Object.keys(specifications) as (keyof typeof specifications)[];
export type ResourceType = keyof typeof specifications;

/** An address with a prefix length (RFC 4632, RFC 4291). */
function isCidr(block: string): boolean {
  const [, address = "", length = ""] = /^([^/]+)\/(\d{1,3})$/.exec(block) ?? [];
  const family = isIP(address);
  return family !== 0 && Number(length) <= (family === 6 ? 128 : 32);
}

/** The fields of a crontab line (POSIX, with the names and steps that every cron takes). */
const cronFields: [minimum: number, maximum: number, names: string[]][] = [
  [0, 59, []],
  [0, 23, []],
  [1, 31, []],
  [1, 12, ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]],
  [0, 7, ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]],
];

function isCron(schedule: string): boolean {
  const fields = schedule.trim().toLowerCase().split(/\s+/);
  return (
    fields.length === cronFields.length && cronFields.every((field, i) => isCronField(fields[i] ?? "", field))
  );
}

function isCronField(text: string, [minimum, maximum, names]: (typeof cronFields)[number]): boolean {
  const numberOf = (word: string) =>
    names.includes(word) ? minimum + names.indexOf(word) : /^\d{1,2}$/.test(word) ? Number(word) : -1;
  return text.split(",").every((item) => {
    const [, range = "", , step] = /^([^/]*)(\/(\d{1,2}))?$/.exec(item) ?? [];
    const [from = "", to = from, ...rest] = range.split("-");
    const [low, high] = range === "*" ? [minimum, maximum] : [numberOf(from), numberOf(to)];
    return (
      rest.length === 0 &&
      low >= minimum &&
      high <= maximum &&
      low <= high &&
      (step === undefined || Number(step) > 0)
    );
  });
}
