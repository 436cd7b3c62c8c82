import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { RowDataPacket } from "mysql2";
import { openMailbox } from "../../actors/runtime/mailbox.ts";
import type { World } from "../../schema/world.ts";
import { readConfig } from "../../src/config.ts";
import { type ServerOptions, startMariadb, startRedis } from "../../src/embedded/servers.ts";
import type { Landfall } from "../../src/landfall.ts";
import { seedSamples } from "../../src/seed.ts";
import { createWorld } from "../../src/world.ts";
import { adminEmail, password } from "../house.ts";
import { eventually } from "../streams/bus.ts";

/* A Landfall as in production, of which every part can be killed: servers of its own, programs as processes. */

const root = resolve(import.meta.dir, "../..");

/** A new directory, in memory where the system has one. */
export const freshDir = (): string =>
  mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "landfall-crash-"));

/** Where the packages of MariaDB and Redis are kept. */
export const pkgsDir = join(root, ".data/pkgs");

/** A program in a process of its own. */
export interface RunningProgram {
  readonly url: string;
  /** From the command to the first 200 of `/api/ready`. */
  readonly readyMs: number;
  /** As a crash would. */
  kill(): Promise<void>;
  /** Sends SIGTERM; the exit code. */
  end(): Promise<number>;
}

/** A MariaDB and a Redis that can be killed and started again with their data. */
async function openServers(options: ServerOptions) {
  let redis = await startRedis(options);
  let mariadb = await startMariadb(options).catch(async (error) => {
    await redis.kill9();
    throw error;
  });
  return {
    urls: { MYSQL_URL: mariadb.url, REDIS_URL: redis.url },
    killRedis: () => redis.kill9(),
    async restartRedis() {
      redis = await startRedis(options);
    },
    killMariadb: () => mariadb.kill9(),
    async restartMariadb() {
      mariadb = await startMariadb(options);
    },
  };
}

/** The programs that run on these servers. */
function openPrograms(environment: Record<string, string>) {
  const running = new Set<RunningProgram>();
  let turn = 0;
  return {
    /** Starts a program and waits until it is ready. */
    async start(): Promise<RunningProgram> {
      const began = performance.now();
      const { child, url } = await spawnProgram(["start"], { ...environment, LOG_LEVEL: "info" });
      await eventually(async () => (await fetch(`${url}/api/ready`)).ok);
      const leave = async (signal: NodeJS.Signals) => {
        running.delete(program);
        child.kill(signal);
        return await child.exited;
      };
      const program = {
        ...{ url, readyMs: Math.round(performance.now() - began) },
        kill: async () => void (await leave("SIGKILL")),
        end: () => leave("SIGTERM"),
      };
      running.add(program);
      return program;
    },
    /** The next program that runs; waits while there is none. */
    async door(): Promise<string> {
      await eventually(() => running.size > 0, 30_000);
      const urls = [...running].map(({ url }) => url);
      return urls[turn++ % urls.length] as string;
    },
    killAll: () => Promise.all([...running].map((program) => program.kill())),
  };
}

/** What a test may ask the database. */
const readsOf = ({ pool }: World) => ({
  async rows<T = any>(sql: string, values: unknown[] = []): Promise<T[]> {
    const [rows] = await pool.query<RowDataPacket[]>(sql, values);
    return rows.map(withText) as T[];
  },
  /** As if these seconds had passed for the leases of all jobs. */
  ageLeases: (seconds: number) =>
    pool.query("UPDATE jobs SET leaseUntil = leaseUntil - INTERVAL ? SECOND WHERE leaseUntil IS NOT NULL", [
      seconds,
    ]),
});

/** A program on servers with an empty database; `durable` where MariaDB itself is to be killed. `await using` ends all. */
export async function openSite({ durable = false } = {}) {
  await using parts = new AsyncDisposableStack();
  const dataDir = freshDir();
  parts.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const servers = await openServers({ dataDir, pkgsDir, durable, log: () => {} });
  parts.defer(async () => void (await Promise.all([servers.killRedis(), servers.killMariadb()])));
  const environment = {
    ...servers.urls,
    ...{
      ADMIN_EMAIL: adminEmail,
      ADMIN_PASSWORD: password,
      PORT: "0",
      METRICS_PORT: "0",
      LOG_LEVEL: "error",
    },
    ENCRYPTION_KEY: randomBytes(32).toString("base64"),
  };
  const world = createWorld(readConfig({ ...environment }));
  parts.defer(() => world.close());
  const programs = openPrograms(environment);
  parts.defer(async () => void (await programs.killAll()));
  const first = await programs.start();
  const mailbox = openMailbox(world);
  await seedSamples({ world, mailbox } as unknown as Landfall);
  await mailbox.close();
  const call = callerOf(await signIn(first.url, password));
  const all = parts.move();
  const end = () => all.disposeAsync();
  return { ...servers, ...programs, ...readsOf(world), world, first, call, [Symbol.asyncDispose]: end };
}
export type Site = Awaited<ReturnType<typeof openSite>>;

/** Exact text comes from the driver as bytes. */
const withText = (row: object) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, Buffer.isBuffer(value) ? value.toString() : value]),
  );

/** Calls as the bearer of a token. Rejects when the connection breaks or there is no answer within 10 s. */
export const callerOf =
  (token: string) =>
  (url: string, method: string, path: string, body?: unknown, headers: object = {}): Promise<Response> =>
    fetch(url + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(10_000),
    });

/** The ADMIN's access token. */
export async function signIn(url: string, adminPassword: string): Promise<string> {
  const answer = await fetch(`${url}/api/identity/auth/login`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email: adminEmail, password: adminPassword }),
  });
  return ((await answer.json()) as any).data.accessToken;
}

/** `bun src/main.ts …` in a process of its own; resolves when it says where it listens. */
export async function spawnProgram(command: string[], environment: Record<string, string | undefined>) {
  const child = Bun.spawn([process.execPath, "src/main.ts", ...command], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = Promise.withResolvers<string>();
  const listen = async (output: ReadableStream<Uint8Array>) => {
    let tail = "";
    for await (const chunk of output) {
      tail = (tail + new TextDecoder().decode(chunk)).slice(-4000);
      const url = /"message":"listening","url":"([^"]+)"|API +(\S+)\/api\n/.exec(tail);
      if (url) said.resolve((url[1] ?? url[2]) as string);
    }
    return tail;
  };
  const ended = Promise.all([listen(child.stdout), listen(child.stderr)]);
  ended.then((tails) => said.reject(new Error(`The program ended before it listened: ${tails.join("")}`)));
  return { child, url: await said.promise };
}
