import { afterAll } from "bun:test";
import { startTestServers } from "./servers.ts";

/* `bun test` by itself starts its own servers; `bun run test` has started them for all its workers. */
if (!process.env["MYSQL_URL"] || !process.env["REDIS_URL"]) {
  const servers = await startTestServers();
  Object.assign(process.env, servers.environment);
  afterAll(() => servers.stop());
}
