import * as v from "valibot";
import { type Service, services } from "./gateway/prefixes.ts";

const list = v.pipe(
  v.string(),
  v.transform((text) =>
    text
      .split(",")
      .map((part) => part.trim())
      .filter(Boolean),
  ),
);
const origins = v.pipe(
  list,
  v.check(
    (all) => all.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin),
    "must be a comma list of origins such as https://shop.example.com",
  ),
);
const wholeNumber = (minimum: number, maximum: number) => {
  const message = `must be a whole number from ${minimum} to ${maximum}`;
  return v.pipe(
    v.string(),
    v.regex(/^\d{1,9}$/, message),
    v.transform(Number),
    v.minValue(minimum, message),
    v.maxValue(maximum, message),
  );
};
const throttled = [...services, "default"] as const;
/** Requests of an address to a service in a minute. */
type Throttles = { default: number } & Partial<Record<Service, number>>;
export const usualThrottles: Throttles = { identity: 20, default: 30 };
const throttles = v.pipe(
  v.string(),
  v.rawTransform<string, Throttles | "off">(({ dataset: { value }, addIssue, NEVER }) => {
    if (value === "off") return "off";
    const given = value
      .split(",")
      .filter(Boolean)
      .map((part) => part.trim().split("="));
    const good = given.every(
      ([name, rate = ""]) => throttled.some((each) => each === name) && /^[1-9]\d{0,8}$/.test(rate),
    );
    if (!good) {
      addIssue({
        message: `must be off, or a list such as identity=20,default=30 of ${throttled.join(", ")}`,
      });
      return NEVER;
    }
    return { ...usualThrottles, ...Object.fromEntries(given.map(([name, rate]) => [name, Number(rate)])) };
  }),
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
  PORT: v.optional(wholeNumber(0, 65_535)),
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
  PUBLIC_URL: v.optional(
    v.pipe(
      v.string(),
      v.url("must be an http or https URL"),
      v.regex(/^https?:/, "must be an http or https URL"),
    ),
  ),
  CORS_ORIGINS: v.optional(origins, ""),
  IDENTITY_PROVIDER_ORIGINS: v.optional(origins, ""),
  TRUSTED_PROXY_HOPS: v.optional(wholeNumber(0, 10), "0"),
  RATE_LIMITS: v.optional(onOff, "on"),
  SERVICE_THROTTLES: v.optional(throttles),
  CREDENTIALS_DIR: v.optional(v.string()),
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

/** The names of the variables that this program reads for itself. */
export const ownVariables: readonly string[] = Object.keys(Variables.entries);

/** A variable that a record names, such as a cluster's credentials; none of the program's own. */
export const environmentValue = (name: string): string | undefined =>
  Object.hasOwn(process.env, name) && !ownVariables.includes(name) ? process.env[name] : undefined;

/** Whether npm's `npx` has started this program. */
export const isBelowNpx = (environment: Record<string, string | undefined> = process.env): boolean =>
  environment["npm_config_user_agent"]?.startsWith("npm/") ?? false;
