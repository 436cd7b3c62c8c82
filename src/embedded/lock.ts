import { Database, SQLiteError } from "bun:sqlite";
import { until } from "./until.ts";

/** A lock between processes, held until it is disposed or its process dies. */
export interface Lock extends Disposable {
  release(): void;
}

/** Takes the lock on the file `path`, or gives undefined while another holder lives; never waits. */
export function tryLock(path: string): Lock | undefined {
  // SQLite's file lock: the kernel frees it with the process, so no stale lock is ever left behind.
  const database = new Database(path, { create: true });
  try {
    database.run("PRAGMA busy_timeout = 0");
    database.run("PRAGMA journal_mode = MEMORY");
    database.run("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (error instanceof SQLiteError && error.code?.startsWith("SQLITE_BUSY")) return undefined;
    throw error;
  }
  let held = true;
  const release = () => {
    if (!held) return;
    held = false;
    database.run("ROLLBACK");
    database.close();
  };
  return { release, [Symbol.dispose]: release };
}

/** Waits for the lock on the file `path`; rejects after `timeoutMs`. */
export function takeLock(path: string, timeoutMs: number): Promise<Lock> {
  return until(() => tryLock(path), { timeoutMs, what: `the lock ${path}, which another process holds` });
}
