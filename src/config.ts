import * as v from "valibot";

const list = v.pipe(
  v.string(),
  v.transform((text) =>
    text
      .split(",")
      .map((part) => part.trim())
      .filter(Boolean),
  ),
);
const port = v.pipe(
  v.string(),
  v.transform(Number),
  v.integer("must be a port"),
  v.minValue(0, "must be a port"),
  v.maxValue(65_535, "must be a port"),
);
const onOff = v.pipe(
  v.picklist(["on", "off"], "must be on or off"),
  v.transform((text) => text === "on"),
);
const serverUrl = (scheme: string) =>
  v.pipe(
    v.string(),
    v.check(
      (url) => url.startsWith("unix:/") || url.startsWith(`${scheme}:`),
      `must be a ${scheme}: URL, or unix: and a socket`,
    ),
  );

/** The variables that this program reads, with their defaults. */
const Variables = v.object({
  PORT: v.optional(port),
  DATA_DIR: v.optional(v.string(), ".data"),
  MYSQL_URL: v.optional(serverUrl("mysql")),
  REDIS_URL: v.optional(serverUrl("redis")),
  ENCRYPTION_KEY: v.optional(
    v.pipe(
      v.string(),
      v.check((key) => Buffer.from(key, "base64").length === 32, "must be 32 bytes in base64"),
    ),
  ),
  PLATFORM_NAME: v.optional(
    v.pipe(v.string(), v.regex(/^[a-z0-9-]{1,32}$/, "must be 1 to 32 of a-z 0-9 -")),
    "landfall",
  ),
  ADMIN_EMAIL: v.optional(v.pipe(v.string(), v.email("must be an e-mail address"), v.toLowerCase())),
  ADMIN_PASSWORD: v.optional(
    v.pipe(
      v.string(),
      v.minLength(12, "must have 12 characters or more"),
      v.maxLength(128, "must have 128 characters or less"),
    ),
  ),
  SAMPLE_DATA: v.optional(onOff, "on"),
  JWT_ISSUER: v.optional(v.string(), "landfall"),
  JWT_AUDIENCE: v.optional(v.string(), "landfall"),
  IDENTITY_PROVIDER_ORIGINS: v.optional(list, ""),
  LOG_LEVEL: v.optional(
    v.picklist(["debug", "info", "warn", "error"], "must be debug, info, warn or error"),
    "info",
  ),
});
export type Config = v.InferOutput<typeof Variables>;

/** Reads the environment; throws one error that names every bad variable. `required` must be set. */
export function readConfig(
  environment: Record<string, string | undefined> = process.env,
  required: (keyof Config)[] = [],
): Config {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ""),
  );
  const result = v.safeParse(Variables, given);
  const faults = [
    ...(result.issues ?? []).map((issue) => `${v.getDotPath(issue)} ${issue.message}`),
    ...required.filter((name) => given[name] === undefined).map((name) => `${name} must be set`),
  ];
  if (faults.length > 0 || !result.success)
    throw new Error(`Configuration: ${[...new Set(faults)].join("; ")}`);
  return result.output;
}
