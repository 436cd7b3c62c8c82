import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { takeLock, tryLock } from "../../src/embedded/lock.ts";
import { freshDir, removeDir } from "./places.ts";

let dir: string;
beforeEach(() => {
  dir = freshDir();
});
afterEach(() => removeDir(dir));

test("a lock has one holder at a time", async () => {
  const path = join(dir, "lock");
  const first = tryLock(path)!;
  expect(tryLock(path)).toBeUndefined();
  await expect(takeLock(path, 20)).rejects.toThrow(`the lock ${path}, which another process holds`);
  const second = takeLock(path, 5_000);
  first.release();
  (await second).release();
});

test("a killed process leaves its lock free", async () => {
  const path = join(dir, "lock");
  const module = JSON.stringify(join(import.meta.dir, "../../src/embedded/lock.ts"));
  const code = `import { tryLock } from ${module};
    globalThis.lock = tryLock(${JSON.stringify(path)});
    console.log(lock ? "held" : "refused");
    setInterval(() => {}, 60_000);`;
  const holder = Bun.spawn([process.execPath, "-e", code], { stdout: "pipe" });
  const { value } = await holder.stdout.getReader().read();
  expect(new TextDecoder().decode(value)).toBe("held\n");
  expect(tryLock(path)).toBeUndefined();
  holder.kill("SIGKILL");
  await holder.exited;
  tryLock(path)!.release();
});
