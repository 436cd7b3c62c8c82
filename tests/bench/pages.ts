import type { World } from "../../schema/world.ts";
import type { Call } from "../../src/http/call.ts";
import { writeCursor } from "../../src/http/cursor.ts";
import { findRows } from "../../src/http/paging.ts";
import { listedProducts } from "../../src/products/products.queries.ts";
import { percentiles } from "./measure.ts";

/* Lists: a page by cursor near the start beside one far behind it. */

const sorts = ["sortOrder", "name", "monthlyPrice", "createdAt"] as const;
const [near, far, rounds] = [20, 100_000, 300];
const customer = { scope: "tenant-1" } as unknown as Call;

/** The rows of a page without their total, as a customer lists them. */
export async function pages(world: World): Promise<void> {
  console.log("pages: 20 rows by cursor, found by key, without the total");
  for (const sort of sorts) {
    const page = (cursor: string | undefined, limit = 20) =>
      findRows(world, listedProducts(customer, { sort, limit }), { sort, limit, cursor });
    const cursors = [await walkTo(near, page), await walkTo(far, page)];
    const times = cursors.map(() => new Float64Array(rounds));
    for (let round = -20; round < rounds; round++) {
      for (const [at, cursor] of cursors.entries()) {
        const begun = performance.now();
        const { rows } = await page(cursor);
        if (rows.length !== 20) throw new Error(`The page has ${rows.length} rows.`);
        if (round >= 0) (times[at] as Float64Array)[round] = performance.now() - begun;
      }
    }
    const [early = 0, late = 0] = times.map((each) => percentiles(each).p50);
    console.log(
      `  by ${sort.padEnd(12)} at row 20: ${early.toFixed(2)} ms, at row 100,000: ${late.toFixed(2)} ms, ${(late / early).toFixed(2)} x (near 1)`,
    );
  }
}

/** The cursor behind so many rows. */
async function walkTo(
  row: number,
  page: (cursor: string | undefined, limit: number) => ReturnType<typeof findRows>,
): Promise<string> {
  let cursor: string | undefined;
  for (let at = 0; at < row; at += Math.min(row, 100)) {
    const { next } = await page(cursor, Math.min(row, 100));
    if (!next) throw new Error(`There are only ${at} rows.`);
    cursor = writeCursor(next);
  }
  return cursor as string;
}
