import { randomBytes } from "node:crypto";
import { type Config, readConfig } from "../src/config.ts";

/** The configuration of a program on the test servers, with a database and a platform name that no other test has. */
export function ownConfig(): Config {
  const name = `t${randomBytes(6).toString("hex")}`;
  return readConfig({
    MYSQL_URL: withDatabase(process.env["MYSQL_URL"] ?? "", name),
    REDIS_URL: process.env["REDIS_URL"],
    ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    PLATFORM_NAME: name,
    PORT: "0",
    RATE_LIMITS: "off",
    LOG_LEVEL: process.env["LOG_LEVEL"] ?? "error",
  });
}

function withDatabase(url: string, database: string): string {
  if (url.startsWith("unix:")) return `${url}?database=${database}`;
  return Object.assign(new URL(url), { pathname: database }).href;
}
