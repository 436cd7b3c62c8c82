import { boolean, index, int, mysqlTable, uniqueIndex } from "drizzle-orm/mysql-core";
import * as v from "valibot";
import { document, exactText, label, longText, recordColumns, word } from "../columns.ts";
import { decimal, decimalColumn, maxFinePrice, maxPrice } from "../money.ts";
import { Id, integer, line, lines, map, object, Timestamp, textLike, Version } from "../values.ts";

export const productStatuses = ["draft", "active", "paused", "archived"] as const;
export type ProductStatus = (typeof productStatuses)[number];

export const tiers = ["basic", "standard", "premium", "enterprise"] as const;
export type Tier = (typeof tiers)[number];

/** What is for sale. */
export const products = mysqlTable(
  "products",
  {
    ...recordColumns,
    sku: exactText({ length: 64 }).notNull(),
    name: label({ length: 200 }).notNull(),
    description: longText(),
    category: exactText({ length: 64 }).notNull(),
    status: word<ProductStatus>().notNull(),
    specs: document<Record<string, string>>().notNull(),
    monthlyPrice: decimalColumn({ decimals: 2 }).notNull(),
    hourlyPrice: decimalColumn({ decimals: 6 }),
    unitPrice: decimalColumn({ decimals: 2 }),
    currency: word().notNull(),
    /** Per cent. */
    annualDiscount: decimalColumn({ decimals: 2 }).notNull(),
    tier: word<Tier>(),
    features: document<string[]>().notNull(),
    isPopular: boolean().notNull(),
    sortOrder: int().notNull(),
    ctaText: label({ length: 100 }),
    ctaAction: longText(),
    /** An order names it: it can't be deleted any more. */
    ordered: boolean().notNull(),
  },
  (t) => [
    uniqueIndex("products_sku").on(t.sku),
    // One for each way to sort a list, and what it may be filtered by without reading the row.
    index("products_sort_order").on(t.sortOrder, t.id, t.status, t.category),
    index("products_name").on(t.name, t.id, t.status, t.category),
    index("products_price").on(t.monthlyPrice, t.id, t.status, t.category),
    index("products_created").on(t.createdAt, t.id, t.status, t.category),
    // For counting, and for following the versions.
    index("products_status").on(t.status, t.category),
    index("products_version").on(t.version),
  ],
);
export type ProductState = typeof products.$inferSelect;

const Sku = v.pipe(
  v.string("Must be text."),
  v.regex(/^[A-Za-z0-9._-]{1,64}$/, "Must have 1 to 64 letters, digits, dots, hyphens or underscores."),
  v.description("Unique; upper and lower case differ."),
  v.examples(["VM-STD-4"]),
);
const Category = v.pipe(
  v.string("Must be text."),
  v.regex(/^(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*$/, "Must be a slug: lower-case letters, digits and hyphens."),
  v.examples(["compute"]),
);
const currencies = Intl.supportedValuesOf("currency");
const Currency = v.pipe(
  v.string("Must be text."),
  v.check((code) => currencies.includes(code), "Must be a currency code of ISO 4217."),
  v.examples(["USD"]),
);
const Price = decimal(2, maxPrice, 24.9);
const flag = v.boolean("Must be true or false.");

const described = <S extends v.GenericSchema>(schema: S, description: string) =>
  v.pipe(schema, v.description(description));

/** Text that can be missing; an empty one is. */
const optionalText = (maximum: number, example: string) =>
  v.nullable(
    v.pipe(
      lines(0, maximum),
      v.examples([example]),
      v.transform((given) => given || null),
    ),
  );

/** What a client says of a product. Null takes away what can be missing. */
const fields = {
  sku: Sku,
  name: v.pipe(line(1, 200), v.examples(["Standard VM 4"])),
  description: optionalText(10_000, "Four cores for everyday work."),
  category: Category,
  status: described(v.picklist(productStatuses), "Customers see `active` products alone."),
  specs: v.pipe(
    map(line(0, 1000), line(1, 100)),
    v.maxEntries(100, "Must have at most 100 members."),
    v.description("Free text by name. `resourceType` says what an order of it provisions."),
    v.examples([{ resourceType: "VM", vcpu: "4", memory: "16 GB" }]),
  ),
  monthlyPrice: described(Price, "Two decimals at most; a finer price is refused, never rounded."),
  hourlyPrice: v.nullable(described(decimal(6, maxFinePrice, 0.034112), "Six decimals at most.")),
  unitPrice: v.nullable(described(Price, "Two decimals at most.")),
  currency: described(Currency, "ISO 4217."),
  annualDiscount: described(decimal(2, 100, 10), "Per cent, two decimals at most."),
  tier: v.nullable(v.picklist(tiers)),
  features: v.pipe(
    v.array(line(1, 200), "Must be a list."),
    v.maxLength(100, "Must be 100 or fewer."),
    v.examples([["Daily snapshots", "IPv6 included"]]),
  ),
  isPopular: described(flag, "Comes first among equals in search."),
  sortOrder: v.pipe(
    integer(-1_000_000_000, 1_000_000_000),
    v.description("Where it stands in lists; small ones first."),
    v.transform((given) => given || 0), // -0 is 0
  ),
  ctaText: optionalText(100, "Order now"),
  ctaAction: optionalText(1000, "/order/VM-STD-4"),
};

/** The fields that a client sets, in the order in which they are shown. */
export const productFields = Object.keys(fields) as (keyof typeof fields)[];
export type ProductField = (typeof productFields)[number];

export const CreateProduct = v.pipe(
  object({
    sku: fields.sku,
    name: fields.name,
    category: fields.category,
    monthlyPrice: fields.monthlyPrice,
    description: v.optional(fields.description, null),
    status: v.optional(fields.status, "draft"),
    specs: v.optional(fields.specs, () => ({})),
    hourlyPrice: v.optional(fields.hourlyPrice, null),
    unitPrice: v.optional(fields.unitPrice, null),
    currency: v.optional(fields.currency, "USD"),
    annualDiscount: v.optional(fields.annualDiscount, 0),
    tier: v.optional(fields.tier, null),
    features: v.optional(fields.features, () => []),
    isPopular: v.optional(fields.isPopular, false),
    sortOrder: v.optional(fields.sortOrder, 0),
    ctaText: v.optional(fields.ctaText, null),
    ctaAction: v.optional(fields.ctaAction, null),
  }),
  v.title("ProductCreate"),
);
export type CreateProduct = v.InferOutput<typeof CreateProduct>;

export const UpdateProduct = v.pipe(
  object(v.partial(v.strictObject(fields)).entries),
  v.title("ProductUpdate"),
  v.examples([{ status: "active", isPopular: true }]),
);
export type UpdateProduct = v.InferOutput<typeof UpdateProduct>;

const price = (description: string, example: number) =>
  v.pipe(v.number(), v.description(description), v.examples([example]));

export const Product = v.pipe(
  object({
    id: Id,
    sku: textLike("VM-STD-4"),
    name: textLike("Standard VM 4"),
    description: v.nullable(textLike("Four cores for everyday work.")),
    category: textLike("compute"),
    status: v.picklist(productStatuses),
    specs: v.pipe(v.record(v.string(), v.string()), v.examples([{ resourceType: "VM", vcpu: "4" }])),
    monthlyPrice: price("Two decimals.", 24.9),
    hourlyPrice: v.nullable(price("Six decimals.", 0.034112)),
    unitPrice: v.nullable(price("Two decimals.", 5)),
    currency: textLike("USD"),
    annualDiscount: price("Per cent.", 10),
    tier: v.nullable(v.picklist(tiers)),
    features: v.array(textLike("Daily snapshots")),
    isPopular: v.boolean(),
    sortOrder: v.pipe(v.number(), v.integer(), v.examples([10])),
    ctaText: v.nullable(textLike("Order now")),
    ctaAction: v.nullable(textLike("/order/VM-STD-4")),
    version: Version,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
  v.title("Product"),
);
export type Product = v.InferOutput<typeof Product>;

export const DeletedProduct = v.pipe(
  object({
    id: Id,
    deleted: v.boolean(),
    archived: v.optional(
      v.pipe(v.literal(true), v.description("An order names it, so it was archived instead.")),
    ),
  }),
  v.title("ProductDeleted"),
);
export type DeletedProduct = v.InferOutput<typeof DeletedProduct>;
