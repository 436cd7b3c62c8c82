import type { Product, ProductState } from "../../schema/products/product.ts";
import type { ProductChange } from "../../schema/products/product-change.ts";
import type { auditEntries } from "../../schema/runtime/audit-entry.ts";
import { recordView } from "../http/record-view.ts";

const decimalFields = ["monthlyPrice", "hourlyPrice", "unitPrice", "annualDiscount"] as const;

/** Exact text inside, a number outside; what is missing stays null. */
const outside = (decimal: string | null): number | null => (decimal === null ? null : Number(decimal));

/** A product as it is answered. */
export function productView({ ordered, ...fields }: ProductState): Product {
  return recordView({
    ...fields,
    monthlyPrice: Number(fields.monthlyPrice),
    hourlyPrice: outside(fields.hourlyPrice),
    unitPrice: outside(fields.unitPrice),
    annualDiscount: Number(fields.annualDiscount),
  });
}

/** A line of a product's history. */
export function changeView({
  at,
  actorId,
  actorKind,
  detail,
  version,
}: typeof auditEntries.$inferSelect): ProductChange {
  const changes = { ...(detail?.["changes"] as ProductChange["changes"]) };
  for (const field of decimalFields) {
    const change = changes[field];
    if (change)
      changes[field] = {
        from: outside(change.from as string | null),
        to: outside(change.to as string | null),
      };
  }
  return { at: at.toISOString(), actor: { id: actorId, kind: actorKind }, changes, version };
}
