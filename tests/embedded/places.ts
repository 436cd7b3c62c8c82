import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Redis } from "ioredis";
import { type Connection, createConnection } from "mysql2/promise";

/** The package cache that all tests share with `dev`. */
export const pkgsDir = resolve(import.meta.dir, "../../.data/pkgs");

/** A new directory, in memory where the system has one. */
export function freshDir(): string {
  return mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "landfall-embedded-"));
}

/** Removes what `freshDir` made. */
export function removeDir(dir: string): void {
  rmSync(dir, { recursive: true, force: true });
}

/** The options of a test server below `dataDir`. */
export function optionsFor(dataDir: string) {
  return { dataDir, pkgsDir, durable: false, log: () => {} };
}

/** A connection as root to the MariaDB at a `unix:` address. */
export function connectMariadb(url: string): Promise<Connection> {
  return createConnection({ socketPath: url.replace("unix:", ""), user: "root", multipleStatements: true });
}

/** A connection to the Redis at a `unix:` address. */
export function connectRedis(url: string): Redis {
  return new Redis({ path: url.replace("unix:", "") });
}
