import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Config, isBelowNpx, readConfig } from "./config.ts";
import { leaveWithNpx } from "./embedded/npx.ts";
import { startServers } from "./embedded/servers.ts";
import { seedAdmin, seedCatalogue, seedCluster } from "./seed.ts";
import { type ProcessRole, type Program, roles, startLandfall } from "./start.ts";
import { newcomerGuide } from "./welcome.ts";

const exitAfterMs = 10_000;

/** A value that `dev` invents once and keeps below the data directory, readable by its owner alone. */
function kept(dataDir: string, name: string, invent: () => string): string {
  const file = join(dataDir, name);
  if (!existsSync(file)) {
    writeFileSync(file, invent(), { mode: 0o600 });
    chmodSync(file, 0o600);
  }
  return readFileSync(file, "utf8");
}

/** Everything on one machine: private servers where no URL names others, an ADMIN, sample data. */
async function dev(): Promise<() => Promise<void>> {
  const given = readConfig();
  const { DATA_DIR: dataDir } = given;
  mkdirSync(dataDir, { recursive: true });
  const log = (line: string) => console.error(line);
  const servers = await startServers({
    dataDir,
    durable: true,
    log,
    mysql: !given.MYSQL_URL,
    redis: !given.REDIS_URL,
  });
  const config: Config = {
    ...given,
    SERVICE_THROTTLES: given.SERVICE_THROTTLES ?? "off",
    MYSQL_URL: given.MYSQL_URL ?? servers.mysqlUrl,
    REDIS_URL: given.REDIS_URL ?? servers.redisUrl,
    ENCRYPTION_KEY:
      given.ENCRYPTION_KEY ?? kept(dataDir, "encryption-key", () => randomBytes(32).toString("base64")),
    ADMIN_EMAIL: given.ADMIN_EMAIL ?? "admin@landfall.test",
    ADMIN_PASSWORD:
      given.ADMIN_PASSWORD ?? kept(dataDir, "admin-password", () => randomBytes(12).toString("base64url")),
  };
  const program = await startLandfall(config, { alone: true }).catch(async (error) => {
    await servers.stop();
    throw error;
  });
  await seedFirstAdmin(program);
  if (config.SAMPLE_DATA) {
    await seedCluster(program.landfall);
    await seedCatalogue(program.landfall);
  }
  console.log(newcomerGuide(program, config));
  return async () => {
    await program.stop();
    await servers.stop();
  };
}

/** Production: the servers and the key are given. */
async function start(): Promise<() => Promise<void>> {
  const config = readConfig(undefined, ["MYSQL_URL", "REDIS_URL", "ENCRYPTION_KEY"]);
  const program = await startLandfall(config, { roles: askedRoles() });
  await seedFirstAdmin(program);
  program.landfall.world.log.info("listening", { url: program.url, roles: askedRoles() });
  return () => program.stop();
}

async function seedFirstAdmin({ landfall }: Program): Promise<void> {
  const { ADMIN_EMAIL, ADMIN_PASSWORD } = landfall.config;
  if (ADMIN_EMAIL && ADMIN_PASSWORD) await seedAdmin(landfall, ADMIN_EMAIL, ADMIN_PASSWORD);
}

function askedRoles(): ProcessRole[] {
  const at = process.argv.indexOf("--roles");
  const asked = at === -1 ? [...roles] : (process.argv[at + 1] ?? "").split(",");
  const unknown = asked.filter((role) => !roles.includes(role as ProcessRole));
  if (unknown.length > 0) throw new Error(`--roles takes a comma list of ${roles.join(" and ")}.`);
  return asked as ProcessRole[];
}

const commands: Record<string, () => Promise<() => Promise<void>>> = { dev, start };
const run = commands[process.argv[2] ?? ""];
if (!run) {
  console.error("usage: bun src/main.ts dev | start [--roles web,worker]");
  process.exit(2);
}
try {
  const stop = await run();
  let stopping = false;
  const leave = () => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), exitAfterMs).unref();
    stop().then(
      () => process.exit(0),
      (error) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", leave);
  process.on("SIGINT", leave);
  if (isBelowNpx()) leaveWithNpx(leave);
} catch (error) {
  const { message, cause } = error as Error;
  console.error(cause instanceof Error ? `${cause.message}\n${message}` : (message ?? error));
  process.exit(1);
}
