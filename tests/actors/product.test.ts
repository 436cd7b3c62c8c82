import { describe, expect, test } from "bun:test";
import * as v from "valibot";
import { type Changes, changesOf, product } from "../../actors/products/product.ts";
import { ServiceError } from "../../schema/errors.ts";
import { CreateProduct, type ProductState, productFields } from "../../schema/products/product.ts";
import { always, id, type Step, sent } from "./product-lives.ts";

const changesIn = ({ decision }: Step) => (decision.detail?.["changes"] ?? {}) as Changes;
const fieldsOf = (state: ProductState | null): Record<string, unknown> =>
  Object.fromEntries(productFields.map((field) => [field, state?.[field]]));

describe("any life of a product:", () => {
  test("its history adds up to it, step by step", () => {
    always((steps) => {
      const told: Record<string, unknown> = Object.fromEntries(productFields.map((field) => [field, null]));
      for (const step of steps) {
        for (const [field, { from, to }] of Object.entries(changesIn(step))) {
          expect([field, from]).toEqual([field, told[field]]);
          expect(to).not.toEqual(from);
          told[field] = to;
        }
        if (step.after) expect(told).toEqual(fieldsOf(step.after));
      }
    });
  });

  test("each change is a version with its time and a line of the history; what changes nothing is neither", () => {
    always((steps) => {
      for (const step of steps.slice(1)) {
        const { name, before, after } = step;
        if (!before || !after) continue;
        const counts = Object.keys(changesIn(step)).length > 0;
        expect(after.version).toBe(before.version + Number(counts));
        expect(after.updatedAt > before.updatedAt).toBe(counts);
        expect([after.id, after.createdAt]).toEqual([before.id, before.createdAt]);
        if (!counts && name !== "note-order") expect(after).toEqual(before);
      }
    });
  });

  test("an update changes the fields it names, to what it says, and no other", () => {
    always((steps) => {
      for (const { name, input, before, after } of steps) {
        if (name !== "update") continue;
        expect(fieldsOf(after)).toEqual({ ...fieldsOf(before), ...input });
        expect(after?.ordered).toBe(before?.ordered);
      }
    });
  });

  test("it is gone by a delete alone, and never once an order names it", () => {
    always((steps) => {
      for (const { name, before, after } of steps) {
        expect(after === null).toBe(name === "delete" && !before?.ordered);
        if (before?.ordered) expect(after?.ordered).toBe(true);
        if (name === "delete" && after) expect(after.status).toBe("archived");
      }
    });
  });

  test("prices are exact text with all their decimals", () => {
    always((steps) => {
      for (const { after } of steps) {
        if (!after) continue;
        expect(after.monthlyPrice).toMatch(/^\d+\.\d{2}$/);
        expect(after.annualDiscount).toMatch(/^\d+\.\d{2}$/);
        expect(after.hourlyPrice ?? "0.000000").toMatch(/^\d+\.\d{6}$/);
        expect(after.unitPrice ?? "0.00").toMatch(/^\d+\.\d{2}$/);
      }
    });
  });

  test("it tells nobody but those who follow versions", () => {
    always((steps) => {
      for (const { decision } of steps)
        expect([decision.emit, decision.jobs]).toEqual([undefined, undefined]);
    });
    expect(product.wakes).toBe("products");
  });

  test("those are woken where its version rose or it is gone, and not for an order's note", () => {
    always((steps) => {
      for (const { before, after, wakes } of steps)
        expect([...wakes]).toEqual(before && before.version === after?.version ? [] : ["products"]);
    });
  });
});

describe("a sku", () => {
  const made = sent(
    null,
    "create",
    v.parse(CreateProduct, { ...{ sku: "A", name: "a" }, ...{ category: "c", monthlyPrice: 1 } }),
  ).after;
  const taken = new ServiceError("already_exists", "There is a product with this sku already.");

  test("that another product has is refused, at creation and later", () => {
    const { id: _, version: __, createdAt: ___, updatedAt: ____, ordered: _____, ...body } = made!;
    expect(() => sent(null, "create", body, 0, "product-2")).toThrow(taken);
    expect(() => sent(made, "update", { sku: "B" }, 0, "product-2")).toThrow(taken);
  });

  test("of its own is no fault, nor what others have where it is not asked for", () => {
    expect(sent(made, "update", { sku: "A", name: "b" }, 0, id).after).toMatchObject({ sku: "A", name: "b" });
    expect(sent(made, "update", { name: "b" }, 0, "product-2").after?.name).toBe("b");
  });
});

describe("changesOf", () => {
  test("looks into specs whatever their order, and into features in theirs", () => {
    const state = { specs: { a: "1", b: "2" }, features: ["a", "b"] } as unknown as ProductState;
    expect(changesOf(state, { specs: { b: "2", a: "1" }, features: ["a", "b"] })).toEqual({});
    expect(Object.keys(changesOf(state, { specs: { a: "1" }, features: ["b", "a"] }))).toEqual([
      "specs",
      "features",
    ]);
  });

  test("of a new product tells what it has, and leaves out what is missing", () => {
    expect(changesOf(null, { name: "a", tier: null, features: [], isPopular: false, sortOrder: 0 })).toEqual({
      name: { from: null, to: "a" },
      features: { from: null, to: [] },
      isPopular: { from: null, to: false },
      sortOrder: { from: null, to: 0 },
    });
  });

  test("names fields in the order in which they are shown, and none that the input leaves out", () => {
    const state = { name: "a", sku: "A", tier: "basic" } as unknown as ProductState;
    expect(Object.keys(changesOf(state, { tier: null, name: "b", sku: "B" }))).toEqual([
      "sku",
      "name",
      "tier",
    ]);
    expect(changesOf(state, { name: undefined })).toEqual({});
  });
});
