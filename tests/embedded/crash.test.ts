import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RowDataPacket } from "mysql2/promise";
import { startMariadb, startRedis } from "../../src/embedded/servers.ts";
import { commandLineOf } from "../../src/embedded/supervise.ts";
import { until } from "../../src/embedded/until.ts";
import { eventually } from "../streams/bus.ts";
import { connectMariadb, connectRedis, freshDir, optionsFor, removeDir } from "./places.ts";

setDefaultTimeout(120_000);

let dir: string;
const owners: Bun.Subprocess[] = [];
beforeEach(() => {
  dir = freshDir();
});
afterEach(async () => {
  await Promise.all(owners.splice(0).map(kill));
  removeDir(dir);
});

interface Report {
  pids: number[];
  adopted: boolean[];
  redis: string;
  mariadb: string;
}

async function spawnOwner(...more: string[]): Promise<{ owner: Bun.Subprocess; report: Report }> {
  const command = [process.execPath, join(import.meta.dir, "owner.ts"), dir, ...more];
  const owner = Bun.spawn(command, { stdout: "pipe", stderr: "inherit", detached: true });
  owners.push(owner);
  const { value } = await owner.stdout.getReader().read();
  return { owner, report: JSON.parse(new TextDecoder().decode(value)) };
}

async function kill(owner: Bun.Subprocess): Promise<void> {
  owner.kill("SIGKILL");
  await owner.exited;
}

function allGone(pids: number[]): Promise<true> {
  const gone = () => pids.every((pid) => commandLineOf(pid) === undefined);
  return until(() => gone() || undefined, {
    timeoutMs: 10_000,
    what: "the servers to end with their parent",
  });
}

describe("a parent killed with SIGKILL", () => {
  test("leaves no server behind", async () => {
    const { owner, report } = await spawnOwner();
    expect(report.pids.map((pid) => commandLineOf(pid) !== undefined)).toEqual([true, true]);
    await kill(owner);
    await allGone(report.pids);
  });

  test("leaves nothing behind without setpriv either", async () => {
    const { owner, report } = await spawnOwner("portable");
    // The shell becomes the command, in its own time.
    await eventually(() => commandLineOf(report.pids[0]!)?.includes("sleep 600") ?? false);
    await kill(owner);
    await allGone(report.pids);
  });

  test("does not keep the next start from new servers with the same data", async () => {
    const { owner, report } = await spawnOwner();
    const client = connectRedis(report.redis);
    await client.set("kept", "yes");
    client.disconnect();
    await kill(owner);
    const [redis, mariadb] = await Promise.all([startRedis(optionsFor(dir)), startMariadb(optionsFor(dir))]);
    expect([redis.adopted, mariadb.adopted]).toEqual([false, false]);
    expect(report.pids.map(commandLineOf)).toEqual([undefined, undefined]);
    const next = connectRedis(redis.url);
    expect(await next.get("kept")).toBe("yes");
    next.disconnect();
    await Promise.all([redis.stop(), mariadb.stop()]);
  });
});

test("two programs that start at once in one directory share its servers", async () => {
  const [one, two] = await Promise.all([spawnOwner(), spawnOwner()]);
  expect(two.report.pids).toEqual(one.report.pids);
  for (const server of [0, 1]) {
    expect([one.report.adopted[server], two.report.adopted[server]].sort()).toEqual([false, true]);
  }
  await Promise.all([kill(one.owner), kill(two.owner)]);
  await allGone(one.report.pids);
});

test("Ctrl-C does not reach the servers", async () => {
  const { owner, report } = await spawnOwner();
  process.kill(-owner.pid, "SIGINT"); // what a terminal does: every process of the group gets it
  const client = connectRedis(report.redis);
  expect(await client.ping()).toBe("PONG");
  client.disconnect();
  const connection = await connectMariadb(report.mariadb);
  await connection.ping();
  await connection.end();
  await kill(owner);
  await allGone(report.pids);
});

describe("a crashed server", () => {
  test("MariaDB starts again with what it had committed", async () => {
    const first = await startMariadb(optionsFor(dir));
    const connection = await connectMariadb(first.url);
    connection.on("error", () => {});
    await connection.query("create database shop; create table shop.item (id int primary key)");
    await connection.query("insert into shop.item values (1), (2)");
    await first.kill9();
    expect(existsSync(join(dir, "mariadb/server.sock"))).toBe(true);
    const second = await startMariadb(optionsFor(dir));
    const again = await connectMariadb(second.url);
    const [rows] = await again.query<RowDataPacket[]>("select count(*) many from shop.item");
    expect(rows[0]?.["many"]).toBe(2);
    await again.end();
    await second.stop();
  });

  test("Redis starts again with what it had acknowledged", async () => {
    const first = await startRedis(optionsFor(dir));
    const client = connectRedis(first.url);
    await client.xadd("events", "*", "n", "1");
    await first.kill9();
    const second = await startRedis(optionsFor(dir));
    expect(await client.xlen("events")).toBe(1); // the client connects again by itself
    client.disconnect();
    await second.stop();
  });
});

test("a server that cannot start says why, and can be started once that is mended", async () => {
  const files = join(dir, "redis/data/appendonlydir");
  mkdirSync(files, { recursive: true });
  writeFileSync(join(files, "appendonly.aof.manifest"), "nonsense\n");
  const start = startRedis(optionsFor(dir));
  await expect(start).rejects.toThrow(/Redis ended early \(1\)[\s\S]*Invalid AOF manifest/);
  rmSync(files, { recursive: true });
  await (await startRedis(optionsFor(dir))).stop();
});
