import { isDeepStrictEqual } from "node:util";
import { inArray } from "drizzle-orm";
import { ServiceError } from "../../schema/errors.ts";
import {
  type CreateProduct,
  type ProductField,
  type ProductState,
  productFields,
  products,
  type UpdateProduct,
} from "../../schema/products/product.ts";
import { ask, type Decision, defineActor, type Fact, type Moment } from "../runtime/actor.ts";

/** Which product has which of these skus. */
const holders: Fact<string, string | null> = {
  async read(db, skus) {
    const asked = [...new Set(skus)];
    const found = await db
      .select({ id: products.id, sku: products.sku })
      .from(products)
      .where(inArray(products.sku, asked));
    const bySku = new Map(found.map(({ id, sku }) => [sku, id]));
    return (sku) => bySku.get(sku) ?? null;
  },
};

/** Something that is for sale. */
export const product = defineActor({
  name: "product",
  service: "products",
  table: products,
  audited: true,
  wakes: "products",
  accepts: { create: "new", update: "any", delete: "any", "note-order": "any" },
  internal: ["note-order"],
  quiet: ["note-order"],
  commands: { create, update, delete: remove, "note-order": noteOrder },
  facts: {
    create: (_, { sku }) => ({ holder: ask(holders, sku) }),
    update: (_, { sku }) => (sku === undefined ? {} : { holder: ask(holders, sku) }),
  },
});

/** Who has the sku that is asked for. */
interface Holding {
  holder: string | null;
}

function create(_: ProductState, input: CreateProduct, { holder }: Holding): Decision<ProductState> {
  if (holder !== null) throw skuTaken();
  return { set: { ...input, ordered: false }, detail: { changes: changesOf(null, input) } };
}

function update(
  state: ProductState,
  input: UpdateProduct,
  { holder = null }: Partial<Holding>,
  { id }: Moment,
): Decision<ProductState> {
  const changes = changesOf(state, input);
  if (changes.sku && holder !== null && holder !== id) throw skuTaken();
  if (Object.keys(changes).length === 0) return {};
  const set = Object.fromEntries(Object.entries(changes).map(([field, { to }]) => [field, to]));
  return { set, detail: { changes } };
}

const skuTaken = () => new ServiceError("already_exists", "There is a product with this sku already.");

/** What an order names stays, so that its invoices can be read for ever. */
function remove(state: ProductState): Decision<ProductState> {
  if (!state.ordered) return { remove: true };
  const changes = changesOf(state, { status: "archived" });
  return changes.status ? { set: { status: "archived" }, detail: { changes } } : {};
}

/** In the commit of an order that names it. */
function noteOrder(state: ProductState): Decision<ProductState> {
  return state.ordered ? {} : { set: { ordered: true } };
}

/** What a command makes different, by field. */
export type Changes = Partial<Record<ProductField, { from: unknown; to: unknown }>>;

/** The fields that an input makes different; of a new product (null), those that it has. Prices are exact text. */
export function changesOf(state: ProductState | null, input: UpdateProduct): Changes {
  const changed = productFields.filter((field) => {
    const to = input[field];
    return to !== undefined && !isDeepStrictEqual(to, state ? state[field] : null);
  });
  return Object.fromEntries(
    changed.map((field) => [field, { from: state ? state[field] : null, to: input[field] }]),
  );
}
