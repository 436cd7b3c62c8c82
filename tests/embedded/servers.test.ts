import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RowDataPacket } from "mysql2/promise";
import { startMariadb, startRedis, startServers } from "../../src/embedded/servers.ts";
import { commandLineOf } from "../../src/embedded/supervise.ts";
import { connectMariadb, connectRedis, freshDir, optionsFor, removeDir } from "./places.ts";

setDefaultTimeout(120_000); // the very first run fetches packages

const dirs: string[] = [];
function dataDir(): string {
  const dir = freshDir();
  dirs.push(dir);
  return dir;
}
afterAll(() => dirs.forEach(removeDir));

describe("startServers", () => {
  test("gives two servers that take writes, and a warm start keeps them", async () => {
    const options = optionsFor(dataDir());
    const cold = await startServers(options);
    const connection = await connectMariadb(cold.mysqlUrl);
    await connection.query(
      "create database shop; create table shop.item (id int primary key, name varchar(9))",
    );
    await connection.query("insert into shop.item values (1, '🚀')");
    await connection.end();
    const redis = connectRedis(cold.redisUrl);
    await redis.set("greeting", "hello");
    redis.disconnect();
    await cold.stop();

    const warm = await startServers(options);
    const again = await connectMariadb(warm.mysqlUrl);
    const [rows] = await again.query<RowDataPacket[]>("select * from shop.item");
    expect(rows).toEqual([{ id: 1, name: "🚀" }] as RowDataPacket[]);
    await again.end();
    const redisAgain = connectRedis(warm.redisUrl);
    expect(await redisAgain.get("greeting")).toBe("hello");
    redisAgain.disconnect();
    await warm.stop();
  });

  test("configures both as the program expects them", async () => {
    const servers = await startServers(optionsFor(dataDir()));
    const connection = await connectMariadb(servers.mysqlUrl);
    const [rows] = await connection.query<RowDataPacket[]>(
      "select @@tx_isolation isolation, @@character_set_server charset, @@skip_networking offline, @@max_connections most",
    );
    expect(rows[0]).toEqual({
      isolation: "READ-COMMITTED",
      charset: "utf8mb4",
      offline: 1,
      most: 500,
    } as RowDataPacket);
    await connection.end();
    const redis = connectRedis(servers.redisUrl);
    expect(await redis.config("GET", "maxmemory-policy")).toEqual(["maxmemory-policy", "noeviction"]);
    expect(await redis.config("GET", "appendonly")).toEqual(["appendonly", "yes"]);
    redis.disconnect();
    await servers.stop();
  });

  test("runs two data directories side by side", async () => {
    const [one, two] = await Promise.all([
      startServers(optionsFor(dataDir())),
      startServers(optionsFor(dataDir())),
    ]);
    const [redisOne, redisTwo] = [connectRedis(one.redisUrl), connectRedis(two.redisUrl)];
    await redisOne.set("who", "one");
    expect(await redisTwo.get("who")).toBeNull();
    redisOne.disconnect();
    redisTwo.disconnect();
    await Promise.all([one.stop(), two.stop()]);
  });

  test("starts only what is asked for", async () => {
    const dir = dataDir();
    const servers = await startServers({ ...optionsFor(dir), mysql: false });
    expect(servers.mysqlUrl).toBe("");
    expect(servers.redisUrl).toBe(`unix:${dir}/redis/server.sock`);
    expect(existsSync(join(dir, "mariadb"))).toBe(false);
    await servers.stop();
  });

  test("puts the sockets of a deep data directory elsewhere", async () => {
    const servers = await startServers(optionsFor(join(dataDir(), "a deep directory/".repeat(8))));
    for (const url of [servers.mysqlUrl, servers.redisUrl]) {
      expect(url.length).toBeLessThan("unix:".length + 104);
      expect(url).toContain("/landfall-");
      dirs.push(dirname(url.replace("unix:", "")));
    }
    await servers.stop();
  });
});

describe.each([
  ["startMariadb", startMariadb],
  ["startRedis", startRedis],
])("%s", (_, start) => {
  test("adopts a server that runs in the same directory, and leaves it to its owner to stop", async () => {
    const options = optionsFor(dataDir());
    const owner = await start(options);
    const guest = await start(options);
    expect([owner.adopted, guest.adopted]).toEqual([false, true]);
    expect([guest.pid, guest.url]).toEqual([owner.pid, owner.url]);
    await guest.stop();
    expect(commandLineOf(owner.pid)).toBeDefined();
    await owner.stop();
    expect(commandLineOf(owner.pid)).toBeUndefined();
  });

  test("makes one server of two starts at once", async () => {
    const options = optionsFor(dataDir());
    const servers = await Promise.all([start(options), start(options)]);
    expect(servers.map((server) => server.adopted).sort()).toEqual([false, true]);
    expect(servers[0].pid).toBe(servers[1].pid);
    await Promise.all(servers.map((server) => server.stop()));
    expect(commandLineOf(servers[0].pid)).toBeUndefined();
  });
});
