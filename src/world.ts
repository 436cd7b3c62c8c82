import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { DrizzleQueryError } from "drizzle-orm";
import { drizzle } from "drizzle-orm/mysql2";
import { Redis } from "ioredis";
import { createPool, type PoolOptions } from "mysql2/promise";
import { bounded } from "../schema/deadline.ts";
import { type Log, sessionSettings, type Vault, type World } from "../schema/world.ts";
import { wakerOf } from "../streams/wake.ts";
import type { Config } from "./config.ts";

/** For reads; what takes longer must not be done while somebody waits. */
const queryTimeoutMs = 10_000;

const levels = ["debug", "info", "warn", "error"] as const;

/** A log that writes JSON lines to standard error, from `lowest` upwards. */
export function createLog(lowest: Config["LOG_LEVEL"]): Log {
  const write =
    (level: (typeof levels)[number]) =>
    (message: string, fields: Record<string, unknown> = {}) => {
      if (levels.indexOf(level) < levels.indexOf(lowest)) return;
      process.stderr.write(`${JSON.stringify({ at: new Date(), level, message, ...fields }, plainErrors)}\n`);
    };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}

/** `JSON.stringify` shows an Error as `{}`; the log wants it whole, but without the values of a query, which may be secret. */
const plainErrors = (_: string, value: unknown) => {
  if (value instanceof DrizzleQueryError) return { name: value.name, query: value.query, cause: value.cause };
  if (value instanceof Error) {
    return { name: value.name, message: value.message, stack: value.stack, cause: value.cause };
  }
  return value;
};

/** AES-256-GCM (NIST SP 800-38D): 12 bytes of nonce, the text, 16 bytes of tag, in base64. `key` is 32 bytes in base64. */
export function createVault(key: string): Vault {
  const secret = Buffer.from(key, "base64");
  const macKey = createHmac("sha256", secret).update("mac").digest();
  return {
    seal(plain) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", secret, nonce);
      return Buffer.concat([
        nonce,
        cipher.update(plain, "utf8"),
        cipher.final(),
        cipher.getAuthTag(),
      ]).toString("base64");
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, "base64");
      const decipher = createDecipheriv("aes-256-gcm", secret, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(-16));
      return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString("utf8");
    },
    mac: (text) => createHmac("sha256", macKey).update(text).digest("hex"),
  };
}

/** How to reach the database: `mysql://user:password@host:port/name`, or `unix:/socket/path`, `?database=name` if wanted. */
export function mysqlOptions(url: string, database = "landfall"): PoolOptions {
  const shared: PoolOptions = {
    timezone: "Z",
    charset: "utf8mb4",
    supportBigNumbers: true,
    connectTimeout: 5000,
    maxPreparedStatements: 100,
  };
  const { protocol, hostname, port, username, password, pathname, searchParams } = new URL(url);
  if (protocol === "unix:") {
    const socketPath = decodeURIComponent(pathname);
    return { ...shared, socketPath, user: "root", database: searchParams.get("database") ?? database };
  }
  return {
    ...shared,
    host: hostname,
    port: Number(port || 3306),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: pathname.slice(1) || database,
  };
}

/** Everything outside the program. `close()` ends its connections. */
export function createWorld(
  config: Config,
  given: { now?: () => Date; newId?: () => string } = {},
): World & { close(): Promise<void> } {
  const log = createLog(config.LOG_LEVEL);
  const mysql = mysqlOptions(config.MYSQL_URL as string);
  const pool = bounded(createPool({ ...mysql, connectionLimit: 10 }), queryTimeoutMs);
  pool.on("connection", (connection) => {
    for (const statement of sessionSettings) connection.query(statement);
  });
  const redisUrl = config.REDIS_URL as string;
  const connectRedis = (options = {}) => {
    const address = redisUrl.startsWith("unix:") ? redisUrl.slice(5) : redisUrl;
    const redis = new Redis(address, {
      maxRetriesPerRequest: null,
      retryStrategy: (times) => Math.min(50 * times, 500),
      maxLoadingRetryTime: 100, // else it waits as long as a Redis that starts believes to need, up to 10 s
      ...options,
    });
    redis.on("error", (error) => log.debug("redis connection", { error: error.message }));
    return redis;
  };
  const redis = connectRedis({ enableOfflineQueue: false, commandTimeout: 2000, maxRetriesPerRequest: 1 });
  const waker = wakerOf({ redis, connect: () => connectRedis(), channel: `${config.PLATFORM_NAME}.wake` });
  return {
    platform: config.PLATFORM_NAME,
    instance: Bun.randomUUIDv7(),
    now: given.now ?? (() => new Date()),
    newId: given.newId ?? (() => Bun.randomUUIDv7()),
    log,
    vault: createVault(config.ENCRYPTION_KEY as string),
    db: drizzle(pool),
    pool,
    mysql,
    redis,
    connectRedis: () => connectRedis(),
    waker,
    async close() {
      waker.close();
      redis.disconnect();
      await pool.end();
    },
  };
}
