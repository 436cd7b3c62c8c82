import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { unpackDebianPackages } from "./debian.ts";
import { takeLock } from "./lock.ts";

/** A MariaDB that can be started. */
export interface MariadbInstallation {
  /** The program and the options that it needs to find its own files. */
  command: string[];
  /** The SQL that makes the system tables, in order. */
  schemaFiles: string[];
}

interface Place {
  dataDir: string;
  pkgsDir?: string;
  log(line: string): void;
  /** The directories, joined by colons, that are searched; PATH and the usual ones unless given. */
  searchPath?: string;
}

const usualDirs = "/usr/sbin:/usr/libexec:/usr/local/bin:/usr/local/sbin:/opt/homebrew/bin";
const downloadTimeoutMs = 10 * 60_000;

/** Said when there is neither an installed server nor a way to fetch one. */
export const installAdvice =
  "MariaDB and Redis are needed: install them (apt install mariadb-server redis-server, " +
  "dnf install mariadb-server redis, or brew install mariadb redis), or set MYSQL_URL and REDIS_URL.";

/** Finds a MariaDB on the machine, else a private copy, fetched at the first time. */
export async function locateMariadb(place: Place): Promise<MariadbInstallation> {
  for (const name of ["mariadbd", "mysqld"]) {
    const program = find(name, place);
    const installed = program && isMariadb(program) ? installedMariadb(program) : undefined;
    if (installed) return installed;
  }
  const root = await privateRoot(place);
  const schema = schemaFilesBelow(join(root, "usr/share"));
  if (!schema) throw new Error(`The MariaDB below ${root} lacks its system tables. ${installAdvice}`);
  const options = [
    "--no-defaults",
    `--basedir=${join(root, "usr")}`,
    `--lc-messages-dir=${schema.dir}`,
    `--character-sets-dir=${join(schema.dir, "charsets")}`,
    `--plugin-dir=${join(root, "usr/lib/mysql/plugin")}`,
  ];
  const command = [...withLibraries(root), join(root, "usr/sbin/mariadbd"), ...options];
  return { command, schemaFiles: schema.files };
}

/** Finds a Redis or Valkey on the machine, else a private copy, fetched at the first time; gives its command. */
export async function locateRedis(place: Place): Promise<string[]> {
  const program = find("redis-server", place) ?? find("valkey-server", place);
  // A locale of the caller that is not installed would end Redis.
  if (program) return ["/usr/bin/env", "LC_ALL=C", program];
  const root = await privateRoot(place);
  return [...withLibraries(root), join(root, "usr/bin/redis-server")];
}

function find(name: string, { searchPath }: Place): string | null {
  if (searchPath !== undefined) return Bun.which(name, { PATH: searchPath });
  return Bun.which(name) ?? Bun.which(name, { PATH: usualDirs });
}

function isMariadb(program: string): boolean {
  return Bun.spawnSync([program, "--no-defaults", "--version"]).stdout.includes("MariaDB");
}

function installedMariadb(program: string): MariadbInstallation | undefined {
  const prefix = dirname(dirname(realpathSync(program)));
  const schema = schemaFilesBelow(join(prefix, "share")) ?? schemaFilesBelow("/usr/share");
  return schema && { command: [program, "--no-defaults"], schemaFiles: schema.files };
}

/** Debian 12 keeps `mysql/mysql_*.sql`, Debian 13 `mariadb/mariadb_*.sql`. */
function schemaFilesBelow(share: string): { dir: string; files: string[] } | undefined {
  for (const name of ["mariadb", "mysql"]) {
    const dir = join(share, name);
    for (const prefix of ["mariadb", "mysql"]) {
      const parts = ["system_tables", "performance_tables", "system_tables_data"];
      const files = parts.map((part) => join(dir, `${prefix}_${part}.sql`));
      if (files.every((file) => existsSync(file))) return { dir, files };
    }
  }
}

function withLibraries(root: string): string[] {
  const libraries = ["lib", "usr/lib"].flatMap((lib) => {
    const dir = join(root, lib);
    const names = existsSync(dir) ? readdirSync(dir) : [];
    return names.filter((name) => name.includes("-linux-gnu")).map((triplet) => join(dir, triplet));
  });
  return ["/usr/bin/env", "LC_ALL=C", `LD_LIBRARY_PATH=${libraries.join(":")}`];
}

/** The directory that holds the unpacked packages of this release and processor; complete when it exists. */
async function privateRoot({ dataDir, pkgsDir, searchPath, log }: Place): Promise<string> {
  const dir = resolve(pkgsDir ?? join(dataDir, "pkgs"));
  const root = join(dir, `${release()}-${process.arch}`);
  if (existsSync(root)) return root;
  const path = searchPath === undefined ? undefined : { PATH: searchPath };
  const tools = { apt: Bun.which("apt-get", path), dpkg: Bun.which("dpkg-deb", path) };
  if (!tools.apt || !tools.dpkg) throw new Error(installAdvice);
  mkdirSync(dir, { recursive: true });
  using _unpacking = await takeLock(join(dir, "lock"), downloadTimeoutMs);
  if (existsSync(root)) return root;
  await unpackDebianPackages(root, { apt: tools.apt, dpkg: tools.dpkg }, log).catch((cause: unknown) => {
    throw new Error(`MariaDB and Redis could not be fetched, see ${dir}/fetch.log. ${installAdvice}`, {
      cause,
    });
  });
  return root;
}

function release(): string {
  const file = "/etc/os-release";
  const names = existsSync(file) ? readFileSync(file, "utf8") : "";
  return /^VERSION_CODENAME="?([\w.-]+)/m.exec(names)?.[1] ?? "debian";
}
