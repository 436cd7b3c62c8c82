import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { startServers } from "../../src/embedded/servers.ts";

const root = resolve(import.meta.dir, "../..");

/** Durable servers with an empty database, and a place for programs to run on them. */
export async function openBench() {
  const dataDir = mkdtempSync(join(root, ".data/bench-"));
  const servers = await startServers({
    dataDir,
    pkgsDir: join(root, ".data/pkgs"),
    durable: true,
    log: () => {},
  });
  const environment = {
    MYSQL_URL: servers.mysqlUrl,
    REDIS_URL: servers.redisUrl,
    ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    ADMIN_EMAIL: "admin@landfall.test",
    ADMIN_PASSWORD: "correct horse battery",
    PORT: "0",
    RATE_LIMITS: "off",
    LOG_LEVEL: "info",
  };
  return {
    environment,
    /** `bun run start` in a process of its own, and an ADMIN's token. */
    async startProgram() {
      const child = Bun.spawn([process.execPath, "src/main.ts", "start"], {
        cwd: root,
        env: { ...process.env, ...environment },
        stdio: ["ignore", "inherit", "pipe"],
      });
      const url = await listening(child.stderr);
      const answer = await fetch(`${url}/api/identity/auth/login`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ email: environment.ADMIN_EMAIL, password: environment.ADMIN_PASSWORD }),
      });
      const { data } = (await answer.json()) as { data: { accessToken: string } };
      return {
        url,
        token: data.accessToken,
        /** Resident memory in MB. */
        rssMb: async () =>
          Number(/VmRSS:\s+(\d+)/.exec(await Bun.file(`/proc/${child.pid}/status`).text())?.[1]) / 1024,
        async stop() {
          child.kill("SIGTERM");
          await child.exited;
        },
      };
    },
    async close() {
      await servers.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
export type Bench = Awaited<ReturnType<typeof openBench>>;

/** Waits for the line that says where the program listens; what else it logs is shown. */
async function listening(log: ReadableStream<Uint8Array>): Promise<string> {
  return new Promise((resolve, reject) => {
    (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of log) {
        for (const line of decoder.decode(chunk).split("\n").filter(Boolean)) {
          const url = /"message":"listening","url":"([^"]+)"/.exec(line)?.[1];
          if (url) resolve(url);
          else if (!line.includes('"level":"info"')) console.error(line);
        }
      }
      reject(new Error("The program ended before it listened."));
    })();
  });
}
