import { products } from "../../schema/products/product.ts";
import type { World } from "../../schema/world.ts";
import type { SampleProduct } from "../products/generator.ts";

const rowsAtOnce = 1000;

/** Writes products into the database, each a millisecond younger than the one before, and wakes who follows them. */
export async function putOnSale(
  { db, newId, now, waker }: World,
  samples: readonly SampleProduct[],
): Promise<void> {
  const begun = now().getTime() - samples.length;
  const rows = samples.map((sample, n) => rowOf(sample, newId(), new Date(begun + n)));
  for (let at = 0; at < rows.length; at += rowsAtOnce)
    await db.insert(products).values(rows.slice(at, at + rowsAtOnce));
  waker.wake("products");
}

const rowOf = (sample: SampleProduct, id: string, createdAt: Date): typeof products.$inferInsert => ({
  ...sample,
  id,
  version: 1,
  createdAt,
  updatedAt: createdAt,
  monthlyPrice: String(sample.monthlyPrice),
  hourlyPrice: String(sample.hourlyPrice),
  annualDiscount: String(sample.annualDiscount),
  tier: sample.tier as "basic",
  ordered: false,
});
