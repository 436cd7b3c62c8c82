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
const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in parts));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(", ")}; there are ${Object.keys(parts).join(", ")}.`);
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

let failed = false;
console.log(`${"".padEnd(38)} answers again: p50, max  handles events again`);
for (const name of named.length > 0 ? named : Object.keys(parts)) {
  const report = await parts[name]?.().catch((error: Error) => {
    console.error(`${name}:`, error);
  });
  if (report) print(report);
  failed ||= !report || report.faults.length > 0;
}
process.exit(failed ? 1 : 0);
