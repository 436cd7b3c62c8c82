import type { MySql2Database } from "drizzle-orm/mysql2";
import type { Redis } from "ioredis";
import type { Pool, PoolOptions } from "mysql2/promise";
import { ServiceError } from "./errors.ts";

/** JSON lines with the request id, without secrets. Errors are logged whole, answered blank. */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** Encrypts what must not be readable in the database (AES-256-GCM). */
export interface Vault {
  seal(plain: string): string;
  /** Throws when the text was not sealed with this key. */
  open(sealed: string): string;
  /** A keyed hash (HMAC-SHA-256) in hexadecimal: who has the database alone can't try what it was made of. */
  mac(text: string): string;
}

/** Wakes the loops that wait for work, here and in the other processes. A hint: each loop polls as well. */
export interface Waker {
  wake(name: Woken): void;
  /** Calls `listener` at each wake; returns how to stop that. */
  on(name: Woken, listener: () => void): () => void;
}
export type Woken = "relay" | "jobs" | "products";

/** Everything outside the program that its parts may use; tests pass their own clock and ids. */
export interface World {
  /** The `{platform}` of topic names; also parts installations that share a Redis. */
  readonly platform: string;
  /** This process, new at each start. */
  readonly instance: string;
  now(): Date;
  /** A new UUIDv7. */
  newId(): string;
  readonly log: Log;
  readonly vault: Vault;
  /** Reads. Writes go through the mailbox. */
  readonly db: MySql2Database;
  readonly pool: Pool;
  /** For the connections that live long: the batch, the relay's lock. */
  readonly mysql: PoolOptions;
  /** Commands to Redis; fails at once while Redis is away. */
  readonly redis: Redis;
  /** A further connection to the same Redis, for blocking reads and subscriptions. */
  connectRedis(): Redis;
  readonly waker: Waker;
}

/** The database or the bus is away: the same work is tried again, and nothing is counted as an attempt. */
export class Unavailable extends ServiceError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("unavailable", message);
    this.cause = options.cause;
  }
}

const connectionFaults = /^(PROTOCOL_|ECONN|EPIPE|ETIMEDOUT|ER_SERVER_SHUTDOWN|ER_CON_COUNT)/;

/** Whether an error of mysql2, or one that has it as its cause, means that the server is away rather than that a statement was wrong. */
export function isConnectionError(error: unknown): boolean {
  const {
    code = "",
    fatal,
    syscall,
    cause,
  } = (error ?? {}) as { code?: string; fatal?: boolean; syscall?: string; cause?: unknown };
  const noSocket = code === "ENOENT" && syscall === "connect";
  return (
    fatal === true ||
    noSocket ||
    connectionFaults.test(code) ||
    (cause instanceof Error && isConnectionError(cause))
  );
}

/** What every MySQL connection sets first: UTC, and the isolation in which a locking read sees what is committed now. */
export const sessionSettings = [
  "SET time_zone = '+00:00'",
  "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
];
