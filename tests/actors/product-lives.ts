import fc from "fast-check";
import * as v from "valibot";
import { product } from "../../actors/products/product.ts";
import { type Command, type Decision, originOf } from "../../actors/runtime/actor.ts";
import { decideUnit } from "../../actors/runtime/decide.ts";
import { Draft } from "../../actors/runtime/draft.ts";
import type { Done } from "../../actors/runtime/mailbox.ts";
import {
  CreateProduct,
  type ProductField,
  type ProductState,
  productStatuses,
  products,
  tiers,
  UpdateProduct,
} from "../../schema/products/product.ts";
import type { World } from "../../schema/world.ts";

/* Products without a mailbox: the rules alone, and any life of a product by them. */

const world = { platform: "landfall", newId: () => "id-1" } as World;
const origin = originOf("tests", { requestId: "request-1", correlationId: "correlation-1" });
export const id = "product-1";
type Name = "create" | "update" | "delete" | "note-order";

export interface Step {
  name: Name;
  input: object;
  decision: Decision<ProductState>;
  before: ProductState | null;
  /** Null: the product is gone. */
  after: ProductState | null;
  /** Whom the commit wakes. */
  wakes: readonly string[];
}

/** What the mailbox does with a command; throws the refusal. `holder` has the sku that the input asks for. */
export function sent(
  state: ProductState | null,
  name: Name,
  input: object,
  at = 0,
  holder: string | null = null,
): Step {
  const draft = new Draft(new Date(at));
  if (state) draft.load(products, frozen(state));
  let decision: Decision<ProductState> = {};
  const command = {
    ...product[name],
    decide(...given: Parameters<Command["decide"]>) {
      decision = (product[name] as Command).decide(...given) as Decision<ProductState>;
      return decision;
    },
  } as Command;
  const orders = [{ command, id, input: frozen(input), origin }];
  const unit = { orders, once: null, applied: null, resolve() {}, reject() {} };
  const [done] = decideUnit(world, draft, unit, new Date(at), () => ({ holder })) as Done<ProductState>[];
  const after = decision.remove ? null : (done?.state ?? null);
  return { name, input, decision, before: state, after, wakes: draft.wakes };
}

/** A decision that changes the state or its input in place would be caught by this. */
function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !(value instanceof Date)) {
    for (const member of Object.values(value)) frozen(member);
    Object.freeze(value);
  }
  return value;
}

const price = fc.nat(300).map((cents) => cents / 100);
const text = fc.constantFrom("", "a", "b", "Größe");
/** Few values each, so that a change often changes nothing. */
const values: Record<ProductField, fc.Arbitrary<unknown>> = {
  sku: fc.constantFrom("A-1", "a-1", "B"),
  name: fc.constantFrom("a", "A", "ä"),
  description: fc.option(text),
  category: fc.constantFrom("compute", "gpu"),
  status: fc.constantFrom(...productStatuses),
  specs: fc.dictionary(fc.constantFrom("vcpu", "disk"), text),
  monthlyPrice: price,
  hourlyPrice: fc.option(fc.nat(300).map((parts) => parts / 1e6)),
  unitPrice: fc.option(price),
  currency: fc.constantFrom("USD", "EUR"),
  annualDiscount: fc.constantFrom(0, 12.25, 100),
  tier: fc.option(fc.constantFrom(...tiers)),
  features: fc.array(fc.constantFrom("a", "b"), { maxLength: 3 }),
  isPopular: fc.boolean(),
  sortOrder: fc.constantFrom(-1, -0, 0, 1),
  ctaText: fc.option(text),
  ctaAction: fc.option(text),
};
const needed = ["sku", "name", "category", "monthlyPrice"] as const;
const bodies = fc.record(values, { requiredKeys: [...needed] }).map((body) => v.parse(CreateProduct, body));
const updates = fc.record(values, { requiredKeys: [] }).map((body) => v.parse(UpdateProduct, body));
const move = fc.oneof(
  { weight: 8, arbitrary: updates.map((input) => ({ name: "update" as const, input })) },
  { weight: 1, arbitrary: fc.constant({ name: "note-order" as const, input: {} }) },
  { weight: 1, arbitrary: fc.constant({ name: "delete" as const, input: {} }) },
);

/** Checks a promise on the steps of any life of a product: its creation, and what follows until it is gone. */
export const always = (promise: (steps: Step[]) => void) =>
  fc.assert(
    fc.property(bodies, fc.array(move, { maxLength: 25 }), (body, moves) => {
      const steps = [sent(null, "create", body)];
      for (const [i, { name, input }] of moves.entries()) {
        const { after } = steps.at(-1)!;
        if (after) steps.push(sent(after, name, input, (i + 1) * 1000));
      }
      promise(steps);
    }),
    { numRuns: 300 },
  );
