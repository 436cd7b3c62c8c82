// A program of its own for the tests to kill: it starts both servers, prints what runs, and waits.
import { startMariadb, startRedis } from "../../src/embedded/servers.ts";
import { spawnTied } from "../../src/embedded/supervise.ts";
import { optionsFor } from "./places.ts";

const [dataDir = "", portable] = process.argv.slice(2);
process.on("SIGINT", () => {});

if (portable) {
  const child = spawnTied(["sleep", "600"], { outputFile: `${dataDir}/sleep.log`, setpriv: null });
  console.log(JSON.stringify({ pids: [child.pid] }));
} else {
  const servers = await Promise.all([startRedis(optionsFor(dataDir)), startMariadb(optionsFor(dataDir))]);
  const [redis, mariadb] = servers;
  const adopted = servers.map((server) => server.adopted);
  console.log(
    JSON.stringify({ pids: [redis.pid, mariadb.pid], adopted, redis: redis.url, mariadb: mariadb.url }),
  );
}
setInterval(() => {}, 60_000);
