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
import { seedCluster } from "../../src/seed.ts";
import { createWorld } from "../../src/world.ts";
import { ownConfig } from "../config.ts";
import { adminEmail, password } from "../house.ts";
import { emptyPlatform, eventually } from "../streams/bus.ts";
import { openWires } from "./wire.ts";

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

interface ServerUrls {
  MYSQL_URL: string;
  REDIS_URL: string;
}

/** A MariaDB and a Redis that can be killed and started again with their data. */
async function openServers(options: ServerOptions) {
  let redis = await startRedis(options);
  let mariadb = await startMariadb(options).catch(async (error) => {
    await redis.kill9();
    throw error;
  });
  return {
    urls: { MYSQL_URL: mariadb.url, REDIS_URL: redis.url } satisfies ServerUrls,
    killRedis: () => redis.kill9(),
    /** With `emptied` nothing is left of its data. */
    async restartRedis({ emptied = false } = {}) {
      if (emptied) rmSync(join(options.dataDir, "redis/data"), { recursive: true });
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
    /** Starts a program, which reaches its servers by other ways where given, and waits until it is ready. */
    async start(ways: Partial<ServerUrls> = {}): Promise<RunningProgram> {
      const began = performance.now();
      const { child, url } = await spawnProgram(["start"], { ...environment, ...ways, LOG_LEVEL: "info" });
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
    killAll: async () => void (await Promise.all([...running].map((program) => program.kill()))),
  };
}

/** What a test may do with the database and Redis. */
const handsOn = ({ pool, redis, platform }: World) => ({
  async rows<T = any>(sql: string, values: unknown[] = []): Promise<T[]> {
    const [rows] = await pool.query<RowDataPacket[]>(sql, values);
    return rows.map(withText) as T[];
  },
  /** As if these seconds had passed for the leases of all jobs. */
  ageLeases: (seconds: number) =>
    pool.query("UPDATE jobs SET leaseUntil = leaseUntil - INTERVAL ? SECOND WHERE leaseUntil IS NOT NULL", [
      seconds,
    ]),
  /** As if a minute had passed for what dead programs hold; none may be alive. */
  async ageWhatIsHeld(): Promise<void> {
    await pool.query("UPDATE jobs SET leaseUntil = leaseUntil - INTERVAL 60 SECOND");
    await redis.eval(emptyPlatform, 0, `${platform}.consumer.*`);
  },
});

/** A program on servers where it has no database yet. What ends with it is put on the stack. */
async function found(parts: AsyncDisposableStack, urls: ServerUrls, { ways = {}, platform = "landfall" }) {
  const environment = {
    ...urls,
    ...{ ADMIN_EMAIL: adminEmail, ADMIN_PASSWORD: password, PLATFORM_NAME: platform },
    ...{ PORT: "0", RATE_LIMITS: "off", METRICS_PORT: "0", LOG_LEVEL: "error" },
    ENCRYPTION_KEY: randomBytes(32).toString("base64"),
  };
  const world = createWorld(readConfig({ ...environment }));
  parts.defer(() => world.close());
  const programs = openPrograms(environment);
  parts.defer(() => programs.killAll());
  const first = await programs.start(ways);
  const mailbox = openMailbox(world);
  await seedCluster({ world, mailbox } as unknown as Landfall);
  await mailbox.close();
  const call = callerOf(await signIn(first.url, password));
  return { ...programs, ...handsOn(world), world, first, call };
}
export type Site = Awaited<ReturnType<typeof found>>;

/** A program on servers of its own; `durable` where MariaDB itself is to be killed. `await using` ends all. */
export async function openSite({ durable = false } = {}) {
  await using parts = new AsyncDisposableStack();
  const dataDir = freshDir();
  parts.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const servers = await openServers({ dataDir, pkgsDir, durable, log: () => {} });
  parts.defer(async () => void (await Promise.all([servers.killRedis(), servers.killMariadb()])));
  const site = await found(parts, servers.urls, {});
  const all = parts.move();
  return { ...servers, ...site, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
/** A site whose servers can be killed as well. */
export type OwnSite = Awaited<ReturnType<typeof openSite>>;

/** A program that reaches the servers of the suite through wires, with a database and a platform of its own. */
export async function openWiredSite() {
  await using parts = new AsyncDisposableStack();
  const { MYSQL_URL = "", REDIS_URL = "", PLATFORM_NAME: platform } = ownConfig();
  const dir = freshDir();
  parts.defer(() => rmSync(dir, { recursive: true }));
  const wires = await openWires({ mysql: MYSQL_URL, redis: REDIS_URL }, dir);
  parts.defer(() => wires.close());
  const site = await found(parts, { MYSQL_URL, REDIS_URL }, { ways: wires.urls, platform });
  const all = parts.move();
  return {
    ...site,
    wires,
    async [Symbol.asyncDispose]() {
      const { world } = site;
      await site.killAll();
      await world.redis.eval(emptyPlatform, 0, `${platform}.*`);
      await world.pool.query("DROP DATABASE ??", [world.mysql.database]);
      await all.disposeAsync();
    },
  };
}

export type WiredSite = Awaited<ReturnType<typeof openWiredSite>>;

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
