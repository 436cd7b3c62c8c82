import type { World } from "../../schema/world.ts";
import { readConfig } from "../../src/config.ts";
import type { Call } from "../../src/http/call.ts";
import { type Catalogue, openCatalogue } from "../../src/products/catalogue.ts";
import { accepting } from "../../src/products/filters.ts";
import { searchPage } from "../../src/products/search.ts";
import { suggest } from "../../src/products/suggest.ts";
import { createWorld } from "../../src/world.ts";
import { type SampleProduct, sampleProducts, seededRandom } from "../products/generator.ts";
import { misspelt } from "../products/misspelt.ts";
import { type Measured, measure, show } from "./measure.ts";
import { pages } from "./pages.ts";
import type { Bench } from "./program.ts";
import { changes } from "./search-changes.ts";
import { customerOf, overHttp, settledMb, untilFound } from "./search-http.ts";
import { keystrokes, type Search, searches } from "./searches.ts";
import { putOnSale } from "./stock.ts";

/* The catalogue: its search in the process and over HTTP, its memory, how far behind it is, and its lists. */

const sizes = [1000, 10_000] as const;
/** Nine in ten are active, and so in the lists of customers. */
const listed = 115_000;

export async function search(bench: Bench): Promise<void> {
  const world = createWorld(readConfig(bench.environment));
  const program = await bench.startProgram();
  try {
    const token = await customerOf(program.url);
    const samples = sampleProducts(sizes[1]);
    await overHttp(program.url, token, searches(samples, 3000, 1)); // warm
    const emptyMb = await settledMb(program);
    for (const [at, size] of sizes.entries()) {
      await putOnSale(world, samples.slice(sizes[at - 1] ?? 0, size));
      await untilFound(program, size);
      console.log(`search: ${size.toLocaleString("en")} products`);
      const catalogue = await takeIn(world, size);
      await inProcess(catalogue, samples.slice(0, size));
      await besideBare(catalogue, searches(samples.slice(0, size), 2000, 3), (asked) =>
        overHttp(program.url, token, asked),
      );
      if (size === sizes[1]) misspellings(catalogue, samples);
    }
    const kb = (((await settledMb(program)) - emptyMb) * 1024) / sizes[1];
    console.log(`  resident memory: ${emptyMb.toFixed(0)} MB without products, ${kb.toFixed(1)} KB for each`);
    await changes(bench, program, sizes[1]);
    await program.stop();
    await putOnSale(world, sampleProducts(listed).slice(sizes[1]));
    await pages(world);
  } finally {
    await program.stop();
    await world.close();
  }
}

/** The catalogue of a process, filled and at rest. */
async function takeIn(world: World, size: number): Promise<Catalogue> {
  const begun = performance.now();
  const catalogue = openCatalogue(world);
  await catalogue.loaded();
  const seconds = (performance.now() - begun) / 1000;
  await catalogue.stop();
  if (catalogue.entries.size !== size)
    throw new Error(`The catalogue has ${catalogue.entries.size} products.`);
  console.log(`  all taken in from the database in ${seconds.toFixed(2)} s`);
  return catalogue;
}

/** As the route of a customer calls it. */
const customer = { meta: {}, scope: "tenant-1" } as unknown as Call;
const found = (catalogue: Catalogue, { q = "", filters, sort }: Search, limit = 20) =>
  searchPage(catalogue, customer, { q, sort, limit }, accepting(customer, filters));

async function inProcess(catalogue: Catalogue, samples: readonly SampleProduct[]): Promise<void> {
  const asked = searches(samples, 6000, 2);
  const typed = keystrokes(samples, 6000, 2);
  const finding = async (n: number) => found(catalogue, asked[n] as Search);
  const suggesting = async (n: number) => suggest(catalogue, typed[n] as string, 10, accepting(customer, {}));
  await measure(1000, 1, async (n) => [await finding(n), await suggesting(n)]); // warm
  show("search in the process (p99 under 10 ms)", await measure(asked.length, 1, finding));
  show("suggest in the process (p99 under 3 ms)", await measure(typed.length, 1, suggesting));
}

/** The same searches bare and over HTTP, in turns, so that what else the machine does weighs on both alike; of the turns the middle one. */
async function besideBare(
  catalogue: Catalogue,
  asked: readonly Search[],
  overHttp: (asked: readonly Search[]) => Promise<Measured>,
): Promise<void> {
  const turns: { http: Measured; ratio: number }[] = [];
  while (turns.length < 5) {
    const bare = await measure(asked.length, 1, async (n) => found(catalogue, asked[n] as Search));
    const http = await overHttp(asked);
    turns.push({ http, ratio: http.perSecond / bare.perSecond });
  }
  const { http, ratio } = turns.toSorted((a, b) => a.ratio - b.ratio)[2] as (typeof turns)[number];
  show("search over HTTP, 4 connections", http);
  console.log(`  ${ratio.toFixed(2)} x the search called bare (at least 0.6 at 10,000)`);
}

/** How often the product that was meant is among the first five. */
function misspellings(catalogue: Catalogue, samples: readonly SampleProduct[]): void {
  const random = seededRandom(4);
  const active = samples.filter(({ status }) => status === "active");
  const total = 200;
  let hits = 0;
  for (let n = 0; n < total; n++) {
    const meant = active[Math.floor(random() * active.length)] as SampleProduct;
    const first = found(catalogue, { q: misspelt(meant, random), filters: {}, sort: "relevance" }, 5);
    if (first.some(({ sku }) => sku === meant.sku)) hits++;
  }
  console.log(
    `  of ${total} misspelt searches the product meant is in the first five in ${((hits / total) * 100).toFixed(1)} % (at least 95)`,
  );
}
