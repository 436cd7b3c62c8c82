import { commands } from "./commands.ts";
import { events } from "./events.ts";
import { gateway } from "./gateway.ts";
import { health } from "./health.ts";
import { memory } from "./memory.ts";
import { placement } from "./placement.ts";
import { type Bench, openBench } from "./program.ts";
import { rules } from "./rules.ts";
import { search } from "./search.ts";

/* `bun run bench [name]`: each figure beside its limit, measured in the same run on the same servers. */

const benches: Record<string, (bench: Bench) => Promise<void>> = {
  commands,
  events,
  gateway,
  health,
  memory,
  placement,
  rules,
  search,
};
const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in benches));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(", ")}; there are ${Object.keys(benches).join(", ")}.`);
  process.exit(2);
}
for (const name of named.length > 0 ? named : Object.keys(benches)) {
  const bench = await openBench();
  try {
    await benches[name]?.(bench);
  } finally {
    await bench.close();
  }
}
process.exit(0);
