import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync } from "node:fs";
import { userInfo } from "node:os";
import { join, resolve } from "node:path";
import { createConnection, type RowDataPacket } from "mysql2/promise";
import { type RunningServer, startDaemon } from "./daemon.ts";
import { locateMariadb, type MariadbInstallation } from "./packages.ts";
import type { ServerOptions } from "./servers.ts";
import { socketPath } from "./socket-path.ts";
import { completed, spawnTied } from "./supervise.ts";

const bootstrapTimeoutMs = 60_000;

/** Starts (or adopts) the MariaDB below `dataDir`; rejects with the end of its log when it ends early. */
export function startMariadb(options: ServerOptions): Promise<RunningServer> {
  const dir = resolve(options.dataDir, "mariadb");
  const data = join(dir, "data");
  const socket = socketPath(dir);
  return startDaemon({
    name: "MariaDB",
    dir,
    socket,
    log: options.log,
    answers: () => answers(socket, data),
    prepare: async () => {
      const installation = await locateMariadb(options);
      // Of its own: a server that starts removes every temporary table that it finds, whose ever it is.
      const tmpdir = join(dir, "tmp");
      mkdirSync(tmpdir, { recursive: true });
      const command = [...installation.command, ...storageSettings(options.durable), `--tmpdir=${tmpdir}`];
      if (!existsSync(data)) await createData(installation.schemaFiles, command, dir);
      return [...command, `--datadir=${data}`, `--socket=${socket}`, ...serverSettings];
    },
  });
}

function storageSettings(durable: boolean): string[] {
  return [
    ...(userInfo().uid === 0 ? ["--user=root"] : []),
    "--skip-name-resolve",
    "--innodb-buffer-pool-size=128M",
    "--innodb-log-file-size=64M",
    ...(durable
      ? ["--innodb-flush-log-at-trx-commit=1"]
      : ["--innodb-flush-log-at-trx-commit=0", "--skip-innodb-doublewrite"]),
  ];
}

const serverSettings = [
  "--skip-networking",
  "--max-connections=500",
  "--max-allowed-packet=64M",
  "--character-set-server=utf8mb4",
  "--transaction-isolation=READ-COMMITTED",
];

/** Makes the system tables in a new directory that becomes `data` only when it is complete. */
async function createData(
  schemaFiles: MariadbInstallation["schemaFiles"],
  command: string[],
  dir: string,
): Promise<void> {
  for (const name of readdirSync(dir)) {
    if (name.startsWith("new-")) rmSync(join(dir, name), { recursive: true });
  }
  const work = join(dir, `new-${Bun.randomUUIDv7()}`);
  mkdirSync(join(work, "data"), { recursive: true });
  const script = [
    "create database if not exists mysql;\nuse mysql;\nSET @auth_root_socket=NULL;\n",
    ...schemaFiles.map((file) => readFileSync(file, "utf8")),
  ].join("\n");
  const inputFile = join(work, "schema.sql");
  await Bun.write(inputFile, script);
  const bootstrap = spawnTied([...command, "--bootstrap", `--datadir=${join(work, "data")}`], {
    inputFile,
    outputFile: join(work, "bootstrap.log"),
  });
  await completed("The first start of MariaDB", bootstrap, bootstrapTimeoutMs);
  renameSync(join(work, "data"), join(dir, "data"));
  rmSync(work, { recursive: true });
}

async function answers(socket: string, data: string): Promise<boolean> {
  if (!existsSync(socket)) return false;
  let served: string;
  try {
    const connection = await createConnection({ socketPath: socket, user: "root", connectTimeout: 2000 });
    const [rows] = await connection.query<RowDataPacket[]>("select @@datadir as datadir");
    await connection.end();
    served = String(rows[0]?.["datadir"]);
  } catch (error) {
    // With an SQL state a server did answer: it refuses us.
    if (error instanceof Error && "sqlState" in error && error.sqlState) throw error;
    return false;
  }
  if (realpathSync(served) === realpathSync(data)) return true;
  throw new Error(`The MariaDB on ${socket} serves ${served}, not ${data}`);
}
