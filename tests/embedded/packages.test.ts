import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installAdvice, locateMariadb, locateRedis } from "../../src/embedded/packages.ts";
import { freshDir, removeDir } from "./places.ts";

let dir: string;
beforeEach(() => {
  dir = freshDir();
});
afterEach(() => removeDir(dir));

/** A machine on which only the programs below `<dir>/bin` are installed. */
function machineWith(programs: Record<string, string>) {
  const searchPath = join(dir, "bin");
  mkdirSync(searchPath, { recursive: true });
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(searchPath, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(searchPath, name), 0o755);
  }
  return { dataDir: dir, searchPath, log: () => {} };
}

describe("locateRedis", () => {
  test("prefers an installed Redis or Valkey", async () => {
    const machine = machineWith({ "valkey-server": "" });
    expect((await locateRedis(machine)).at(-1)).toBe(join(dir, "bin/valkey-server"));
    expect((await locateRedis(machineWith({ "redis-server": "" }))).at(-1)).toBe(
      join(dir, "bin/redis-server"),
    );
  });

  test("says in one line what to install where nothing can be fetched", async () => {
    expect(installAdvice).not.toContain("\n");
    await expect(locateRedis(machineWith({}))).rejects.toThrow(installAdvice);
  });

  test("leaves no half state when the fetching fails or an earlier one was interrupted", async () => {
    const machine = machineWith({ "apt-get": "echo no network; exit 100", "dpkg-deb": "" });
    mkdirSync(join(dir, "pkgs/unpacking-interrupted/cache"), { recursive: true });
    const located = locateRedis(machine);
    await expect(located).rejects.toThrow(
      /could not be fetched, see .*fetch\.log\. MariaDB and Redis are needed/,
    );
    const failure = await located.catch((error: Error) => error);
    expect(String((failure as Error).cause)).toContain("no network");
    expect(readdirSync(join(dir, "pkgs")).sort()).toEqual(["fetch.log", "lock"]);
  });
});

describe("locateMariadb", () => {
  test("does not take a MySQL for a MariaDB", async () => {
    const machine = machineWith({ mysqld: "echo mysqld Ver 8.4.0" });
    await expect(locateMariadb(machine)).rejects.toThrow(installAdvice);
  });

  test("takes an installed one with its system tables, by the names of either release", async () => {
    for (const name of ["mysql", "mariadb"]) {
      const machine = machineWith({ mysqld: "echo mysqld Ver 10.11.6-MariaDB" });
      const share = join(dir, "share", name);
      mkdirSync(share, { recursive: true });
      const parts = ["system_tables", "performance_tables", "system_tables_data"];
      const files = parts.map((part) => join(share, `${name}_${part}.sql`));
      for (const file of files) writeFileSync(file, "");
      const found = await locateMariadb(machine);
      expect(found).toEqual({ command: [join(dir, "bin/mysqld"), "--no-defaults"], schemaFiles: files });
      removeDir(join(dir, "share"));
    }
  });
});
