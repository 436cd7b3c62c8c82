// A process of its own for the tests: moves money between the accounts of its job, and prints how that went.
import { createWorld } from "../../src/world.ts";
import { type HammerJob, hammer } from "./bank.ts";

const { config, ...work } = JSON.parse(process.argv[2] ?? "") as HammerJob;
const world = createWorld(config);
console.log("ready");
for await (const _ of console) break;
const report = await hammer(world, work);
await world.close();
console.log(JSON.stringify(report));
process.exit(0);
