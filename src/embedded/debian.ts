import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { completed, spawnTied } from "./supervise.ts";

const packages = ["redis-tools", "mariadb-server-core"];
const stepTimeoutMs = 5 * 60_000;

/**
 * Fetches signed packages of this Debian and unpacks them into `root`, which appears only when it is complete.
 * Needs no rights and touches nothing of the system. Call it under a lock: it clears what earlier tries left.
 */
export async function unpackDebianPackages(
  root: string,
  tools: { apt: string; dpkg: string },
  log: (line: string) => void,
): Promise<void> {
  const dir = dirname(root);
  for (const name of readdirSync(dir)) {
    if (name.startsWith("unpacking-")) rmSync(join(dir, name), { recursive: true });
  }
  log("Fetching MariaDB and Redis (about 20 MB, this once)");
  const work = join(dir, `unpacking-${Bun.randomUUIDv7()}`);
  const outputFile = join(dir, "fetch.log");
  rmSync(outputFile, { force: true });
  try {
    const archives = await download(tools.apt, work, outputFile);
    const unpacked = join(work, basename(root));
    mkdirSync(unpacked);
    await Promise.all(archives.map((archive) => run([tools.dpkg, "-x", archive, unpacked], outputFile)));
    nameRedisServer(join(unpacked, "usr/bin"));
    renameSync(unpacked, root);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function download(apt: string, work: string, outputFile: string): Promise<string[]> {
  const archives = join(work, "cache/archives");
  mkdirSync(join(archives, "partial"), { recursive: true });
  mkdirSync(join(work, "lists/partial"), { recursive: true });
  const settings = join(work, "apt.conf");
  writeFileSync(settings, aptSettings(work));
  const command = [apt, "-c", settings, "-q", "-y"];
  // A broken source of another vendor fails the update and yet leaves what is needed here.
  const update = await run([...command, "update"], outputFile).catch((error: unknown) => error);
  const install = ["install", "-d", "--reinstall", "--no-install-recommends", ...packages];
  await run([...command, ...install], outputFile).catch((error: unknown) => {
    throw update ?? error;
  });
  return readdirSync(archives, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".deb"))
    .map((entry) => join(archives, entry.name));
}

/** The machine's sources and keys, with every file that is written kept below `work`. */
function aptSettings(work: string): string {
  return [
    `Dir::State::lists "${work}/lists";`,
    `Dir::Cache "${work}/cache";`,
    `Dir::Cache::archives "${work}/cache/archives";`,
    'Debug::NoLocking "1";',
    'APT::Sandbox::User "root";',
    'APT::Keep-Downloaded-Packages "1";',
    'Acquire::Languages "none";',
    'Acquire::Retries "2";',
    'Acquire::http::Timeout "20";',
    'Acquire::https::Timeout "20";',
    // Hooks of the system clean the system's directories.
    "#clear APT::Update::Pre-Invoke;",
    "#clear APT::Update::Post-Invoke;",
    "#clear APT::Update::Post-Invoke-Success;",
    "",
  ].join("\n");
}

/** The server is inside `redis-check-rdb`, which goes by the name it is called with. */
function nameRedisServer(bin: string): void {
  const server = join(bin, "redis-server");
  if (!existsSync(server)) symlinkSync("redis-check-rdb", server);
}

async function run(command: string[], outputFile: string): Promise<void> {
  await completed(command.slice(0, 2).join(" "), spawnTied(command, { outputFile }), stepTimeoutMs);
}
