import { openMailbox } from "../../actors/runtime/mailbox.ts";
import { migrate } from "../../schema/migrate.ts";
import { readConfig } from "../../src/config.ts";
import { createWorld } from "../../src/world.ts";
import { overHttp } from "./commands.ts";
import type { Bench } from "./program.ts";

/** Resident memory of the program after a million commands beside that after ten thousand. */
export async function memory(bench: Bench): Promise<void> {
  const world = createWorld(readConfig(bench.environment));
  await migrate(world.mysql);
  const mailbox = openMailbox(world);
  const program = await bench.startProgram();
  try {
    console.log("memory: resident set of the program");
    console.log(`  idle, just started: ${(await program.rssMb()).toFixed(0)} MB (under 150)`);
    const run = (total: number) => overHttp(mailbox, program, 64, total);
    await run(10_000);
    const early = await program.rssMb();
    console.log(`  after 10,000 commands: ${early.toFixed(0)} MB`);
    for (let done = 10_000; done < 1_000_000; done += 90_000) {
      const { perSecond } = await run(90_000);
      console.log(
        `  after ${(done + 90_000).toLocaleString("en")}: ${(await program.rssMb()).toFixed(0)} MB (${perSecond.toFixed(0)}/s)`,
      );
    }
    console.log(`  ${((await program.rssMb()) - early).toFixed(0)} MB more (at most 30)`);
  } finally {
    await program.stop();
    await mailbox.close();
    await world.close();
  }
}
