import { resolve } from "node:path";
import { mariadbKilled, oneOfTwoKilled, programKilled, type Report, redisKilled } from "./outages.ts";

/*
 * `bun run test:crash [part …]`: what the suite does once or twice, many times and under 32 clients, on servers of
 * its own. Ends with code 1 when anything was lost or doubled.
 */

const parts: Record<string, () => Promise<Report>> = {
  program: programKilled,
  redis: redisKilled,
  mariadb: mariadbKilled,
  two: oneOfTwoKilled,
};
const names = ["failpoints", ...Object.keys(parts)];
const named = process.argv.slice(2);
const wanted = named.length > 0 ? named : names;
const unknown = named.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(", ")}; there are ${names.join(", ")}.`);
  process.exit(2);
}

const count = (number: number) => number.toLocaleString("en");
const spread = (timesMs: number[]) => {
  const sorted = timesMs.toSorted((a, b) => a - b);
  const shown = [sorted[sorted.length >> 1], sorted.at(-1)].map((ms = 0) => `${count(Math.round(ms))} ms`);
  return shown.map((ms) => ms.padStart(9)).join(" ");
};

function print({ outages, answered, unavailable, broken, events, settledMs, faults }: Report): void {
  for (const { what, answersMs, hearsMs } of outages) {
    const times = `${what} × ${answersMs.length}`.padEnd(38);
    console.log(`${times} ${spread(answersMs)}  ${spread(hearsMs)}`);
  }
  console.log(
    `  ${count(answered)} commands answered, ${count(unavailable)} with 503, ${count(broken)} cut off;`,
    `${count(events)} events published; at rest after ${count(settledMs)} ms;`,
    faults.length === 0 ? "nothing lost or doubled" : "BROKEN PROMISES:",
  );
  for (const fault of faults) console.log(`    ${fault}`);
}

/** Every failpoint once; the suite takes the most telling ones. */
async function failpointsPass(): Promise<boolean> {
  const test = Bun.spawn([process.execPath, "tests/run.ts", "tests/crash/failpoints.test.ts"], {
    cwd: resolve(import.meta.dir, "../.."),
    env: { ...process.env, FAILPOINTS: "all" },
    stdio: ["ignore", "inherit", "inherit"],
  });
  return (await test.exited) === 0;
}

let failed = wanted.includes("failpoints") && !(await failpointsPass());
console.log(`${"".padEnd(38)} answers again: p50, max  handles events again`);
for (const name of wanted.filter((name) => name in parts)) {
  const report = await parts[name]?.().catch((error: Error) => {
    console.error(`${name}:`, error);
  });
  if (report) print(report);
  failed ||= !report || report.faults.length > 0;
}
process.exit(failed ? 1 : 0);
