import { seededRandom } from "../products/generator.ts";
import { percentiles } from "./measure.ts";
import type { Bench } from "./program.ts";
import { type Program, untilFound } from "./search-http.ts";

const changesMade = 50;

/** How long it takes from the answer to a change until searches find it, in the program that made it and in another. */
export async function changes(bench: Bench, first: Program, size: number): Promise<void> {
  const second = await bench.startProgram();
  const [here, there] = [new Float64Array(changesMade), new Float64Array(changesMade)];
  const random = seededRandom(5);
  try {
    await untilFound(second, size);
    const ids = await someIds(first);
    for (let n = 0; n < changesMade; n++) {
      // At any moment between two looks at the database.
      await Bun.sleep(random() * 500);
      const word = `renamed${n + 100}`;
      await call(first, "PUT", `/${ids[n]}`, { name: `The ${word}` });
      const begun = performance.now();
      const seen = (times: Float64Array) => () => {
        times[n] = performance.now() - begun;
      };
      await Promise.all([
        untilFound(first, 1, word).then(seen(here)),
        untilFound(second, 1, word).then(seen(there)),
      ]);
    }
  } finally {
    await second.stop();
  }
  for (const [where, times] of [
    ["the same program", here],
    ["a second program", there],
  ] as const) {
    const { p50, p99 } = percentiles(times);
    console.log(
      `  a change is found in ${where}: p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms (under 1,000)`,
    );
  }
}

const someIds = async (program: Program): Promise<string[]> =>
  (await call(program, "GET", `?limit=${changesMade}`)).data.map(({ id }) => id);

async function call({ url, token }: Program, method: string, path: string, body?: unknown) {
  const answer = await fetch(`${url}/api/products${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  return (await answer.json()) as { data: { id: string }[] };
}
