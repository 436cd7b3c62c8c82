import { startTestServers } from "./servers.ts";

/*
 * The whole suite, or the files named on the command line, beside whatever else runs on the machine: servers of
 * its own, files in parallel.
 */
const workers = 4;
const servers = await startTestServers();
const named = process.argv.slice(2);
const tests = Bun.spawn(
  [
    process.execPath,
    "test",
    `--parallel=${workers}`,
    // The slowest files first; `--update-timings` on the command line measures them anew.
    "--timings=tests/timings.json",
    "--timeout=30000",
    ...(named.length > 0 ? named : ["tests"]),
  ],
  { env: { ...process.env, ...servers.environment }, stdio: ["ignore", "inherit", "inherit"] },
);
const stop = (signal: NodeJS.Signals) => tests.kill(signal);
process.on("SIGINT", stop).on("SIGTERM", stop);
const code = await tests.exited;
await servers.stop();
process.exit(code);
