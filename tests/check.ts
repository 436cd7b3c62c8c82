import { resolve } from "node:path";
import { violations } from "./architecture.ts";

/* Types, format, lint and architecture: seconds, and no servers. */

const root = resolve(import.meta.dir, "..");
const tool = (...command: string[]) =>
  Bun.spawn([process.execPath, "x", ...command], { cwd: root, stdout: "inherit", stderr: "inherit" });

const checks = [
  tool("tsc", "--noEmit"),
  tool(
    "biome",
    "ci",
    "--config-path=.biome.json",
    "--error-on-warnings",
    process.stdout.isTTY ? "--colors=force" : "--colors=off",
  ),
];
const wrong = violations(root);
for (const line of wrong) console.error(line);
const codes = await Promise.all(checks.map(({ exited }) => exited));
const failed = wrong.length > 0 || codes.some((code) => code !== 0);
console.log(failed ? "The check found faults." : "Types, format, lint and architecture are in order.");
process.exit(failed ? 1 : 0);
