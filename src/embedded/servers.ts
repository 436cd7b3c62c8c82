import { startMariadb } from "./mariadb.ts";
import { startRedis } from "./redis.ts";

export type { RunningServer } from "./daemon.ts";
export { startMariadb } from "./mariadb.ts";
export { startRedis } from "./redis.ts";

/** Where and how the private servers run. */
export interface ServerOptions {
  /** The directory that holds all they keep. */
  dataDir: string;
  /** True when data must survive a crash of the machine; false for tests. */
  durable: boolean;
  /** Where fetched packages are kept; `<dataDir>/pkgs` unless given. */
  pkgsDir?: string;
  log(line: string): void;
}

/** The private servers, ready for use. */
export interface Servers {
  /** `unix:` and a socket path: user root, no password, no database made. Empty when not asked for. */
  mysqlUrl: string;
  /** `unix:` and a socket path. Empty when not asked for. */
  redisUrl: string;
  /** Ends Redis, then MariaDB, and waits until both are gone; adopted ones keep running. */
  stop(): Promise<void>;
}

/** Starts (or adopts, when already running in this data directory) the private MariaDB and Redis below `dataDir`. */
export async function startServers(
  options: ServerOptions & { redis?: boolean; mysql?: boolean },
): Promise<Servers> {
  const { redis = true, mysql = true } = options;
  const starts = await Promise.allSettled([
    redis ? startRedis(options) : undefined,
    mysql ? startMariadb(options) : undefined,
  ]);
  const [redisServer, mariadb] = starts.map((start) =>
    start.status === "fulfilled" ? start.value : undefined,
  );
  const stop = async () => {
    try {
      await redisServer?.stop();
    } finally {
      await mariadb?.stop();
    }
  };
  for (const start of starts) {
    if (start.status === "rejected") {
      await stop();
      throw start.reason;
    }
  }
  return { mysqlUrl: mariadb?.url ?? "", redisUrl: redisServer?.url ?? "", stop };
}
