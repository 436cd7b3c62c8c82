import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startServers } from "../src/embedded/servers.ts";

/** A MariaDB and a Redis for tests, in memory where the system has room for them; `stop` removes them. */
export async function startTestServers() {
  const dataDir = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "landfall-test-"));
  const pkgsDir = resolve(import.meta.dir, "../.data/pkgs");
  const servers = await startServers({ dataDir, pkgsDir, durable: false, log: () => {} });
  return {
    environment: { MYSQL_URL: servers.mysqlUrl, REDIS_URL: servers.redisUrl },
    async stop() {
      await servers.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
