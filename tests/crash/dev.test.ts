import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { commandLineOf } from "../../src/embedded/supervise.ts";
import { vm } from "../house.ts";
import { requests } from "../provisioning/stages.ts";
import { eventually } from "../streams/bus.ts";
import { callerOf, freshDir, pkgsDir, signIn, spawnProgram } from "./site.ts";

setDefaultTimeout(60_000);

const environment = (dataDir: string) => ({
  ...{ MYSQL_URL: undefined, REDIS_URL: undefined, ADMIN_PASSWORD: undefined },
  DATA_DIR: dataDir,
  PORT: "0",
  RATE_LIMITS: "off",
  METRICS_PORT: "0",
});

/** `bun run dev` in a directory of its own, and its ADMIN. */
async function startDev(dataDir: string) {
  const { child, url } = await spawnProgram(["dev"], environment(dataDir));
  children.push(child);
  const token = await signIn(url, readFileSync(join(dataDir, "admin-password"), "utf8"));
  const ask = callerOf(token);
  const call = async (method: string, path: string, body?: object) =>
    ((await (await ask(url, method, path, body)).json()) as any).data;
  return { child, call };
}

let dataDir: string;
const children: Bun.Subprocess[] = [];
beforeEach(() => {
  dataDir = freshDir();
  mkdirSync(pkgsDir, { recursive: true });
  symlinkSync(pkgsDir, join(dataDir, "pkgs"));
});
afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  await eventually(() => pidsOfServers(dataDir).every((pid) => commandLineOf(pid) === undefined));
  rmSync(dataDir, { recursive: true });
});

const pidsOfServers = (dir: string): number[] =>
  ["mariadb", "redis"]
    .map((name) => join(dir, name, "server.pid"))
    .filter((file) => existsSync(file))
    .map((file) => Number(readFileSync(file, "utf8")));

test("a killed `dev` leaves no server behind, and the next one goes on with its data", async () => {
  const first = await startDev(dataDir);
  const { id } = await first.call("POST", requests, vm("tenant-1"));
  await first.call("POST", `${requests}/${id}/start`);
  const servers = pidsOfServers(dataDir);
  expect(servers.map((pid) => commandLineOf(pid) !== undefined)).toEqual([true, true]);
  first.child.kill("SIGKILL");
  await eventually(() => servers.every((pid) => commandLineOf(pid) === undefined));

  const second = await startDev(dataDir);
  await eventually(async () => (await second.call("GET", `${requests}/${id}`)).status === "ACTIVE", 20_000);
  second.child.kill("SIGTERM");
  expect(await second.child.exited).toBe(0);
});

test("`dev` ends with the npx that started it", async () => {
  // npx has a shell between itself and what it runs, and ends that one alone.
  const own = { ...environment(dataDir), npm_config_user_agent: "npm/11" };
  const shell = Bun.spawn(["sh", "-c", `'${process.execPath}' src/main.ts dev; true`], {
    cwd: join(import.meta.dir, "../.."),
    env: { ...process.env, ...own },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const reader = shell.stdout.getReader();
  let printed = "";
  while (!printed.includes("is running")) printed += new TextDecoder().decode((await reader.read()).value);
  const servers = pidsOfServers(dataDir);
  expect(servers).toHaveLength(2);
  shell.kill("SIGTERM");
  await eventually(() => servers.every((pid) => commandLineOf(pid) === undefined));
  // Nobody has the program's output open any more.
  while (!(await reader.read()).done);
});
