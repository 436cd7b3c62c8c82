import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { Redis } from "ioredis";
import { type RunningServer, startDaemon } from "./daemon.ts";
import { locateRedis } from "./packages.ts";
import type { ServerOptions } from "./servers.ts";
import { socketPath } from "./socket-path.ts";

/** Starts (or adopts) the Redis below `dataDir`; rejects with the end of its log when it ends early. */
export function startRedis(options: ServerOptions): Promise<RunningServer> {
  const dir = resolve(options.dataDir, "redis");
  const data = join(dir, "data");
  const socket = socketPath(dir);
  return startDaemon({
    name: "Redis",
    dir,
    socket,
    log: options.log,
    answers: () => answers(socket, data),
    prepare: async () => {
      mkdirSync(data, { recursive: true });
      return [...(await locateRedis(options)), ...settings(data, socket)];
    },
  });
}

function settings(data: string, socket: string): string[] {
  return [
    ...["--port", "0", "--unixsocket", socket, "--unixsocketperm", "700"],
    ...["--dir", data, "--appendonly", "yes", "--appendfsync", "everysec", "--save", ""],
    ...["--maxmemory-policy", "noeviction"],
  ];
}

async function answers(socket: string, data: string): Promise<boolean> {
  if (!existsSync(socket)) return false;
  const redis = new Redis({
    path: socket,
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: () => null,
    connectTimeout: 2000,
    commandTimeout: 2000,
  });
  redis.on("error", () => {}); // the calls below reject with it
  let servedDir: string | undefined;
  try {
    await redis.connect();
    await redis.ping(); // fails while it still loads its data
    [, servedDir] = (await redis.config("GET", "dir")) as string[];
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
  if (servedDir && realpathSync(servedDir) === realpathSync(data)) return true;
  throw new Error(`The Redis on ${socket} serves ${servedDir}, not ${data}`);
}
