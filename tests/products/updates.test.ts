import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { expectInvalid, expectProblem } from "../http/answers.ts";
import { newSku } from "./products.endpoints.ts";
import { full, get, historyOf, make, path, put, unknown, versionTag } from "./products.ts";

let house: House;
let seller: Person;
let customer: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  [seller, customer] = await Promise.all([house.staff("PRODUCT"), house.signUp()]);
});
afterAll(() => house.close());

describe("PUT /api/products/{id}", () => {
  test("changes only the field given, whichever it is", async () => {
    let product = await make(seller);
    for (const [field, value] of Object.entries({ sku: newSku(), ...full })) {
      const answer = await put(seller, product.id, { [field]: value });
      const { version, updatedAt } = answer.data;
      expect(answer.data).toEqual({ ...product, [field]: value, version: product.version + 1, updatedAt });
      expect([answer.status, answer.headers.get("etag")]).toEqual([200, `"${version}"`]);
      expect(updatedAt >= product.updatedAt).toBe(true);
      expect((await get(seller, product.id)).data).toEqual(answer.data);
      product = answer.data;
    }
  });

  test("takes away with null what can be missing", async () => {
    const { id } = await make(seller, full);
    const nothing = { description: null, hourlyPrice: null, unitPrice: null, tier: null };
    const cleared = { ...nothing, ctaText: null, ctaAction: null };
    expect((await put(seller, id, cleared)).data).toMatchObject({ ...full, ...cleared, version: 2 });
  });

  test("leaves version and time where nothing is different", async () => {
    const made = await make(seller, full);
    const { version: _, id, createdAt: __, updatedAt: ___, ...same } = made;
    const reordered = { specs: Object.fromEntries(Object.entries(full.specs).reverse()) };
    for (const body of [{}, same, reordered, { monthlyPrice: 1234.5, sku: made.sku }]) {
      const answer = await put(seller, id, body);
      expect([answer.status, answer.data]).toEqual([200, made]);
      expect(answer.headers.get("etag")).toBe('"1"');
    }
    const zero = await make(seller, { sortOrder: 0 });
    for (const minus of ['{"sortOrder":-0}', '{"sortOrder":-0,"annualDiscount":-0}'])
      expect((await seller.call("PUT", `${path}/${zero.id}`, minus)).data).toEqual(zero);
    expect((await historyOf(seller, id)).body.meta.total).toBe(1);
  });

  test("replaces specs and features whole", async () => {
    const { id } = await make(seller, { specs: { vcpu: "4", disk: "80 GB" }, features: ["a", "b"] });
    const changed = { specs: { disk: "160 GB" }, features: ["b", "a"] };
    expect((await put(seller, id, changed)).data).toMatchObject(changed);
  });

  test("refuses a taken sku and changes nothing; a sku that was given up is free", async () => {
    const [one, other] = [await make(seller), await make(seller)];
    expectProblem(await put(seller, one.id, { sku: other.sku, name: "Other" }), "already_exists");
    expect((await get(seller, one.id)).data).toEqual(one);
    const lower = one.sku.toLowerCase();
    expect((await put(seller, one.id, { sku: lower })).data.sku).toBe(lower);
    expect((await put(seller, other.id, { sku: one.sku })).data.sku).toBe(one.sku);
  });

  test("honours If-Match, also where nothing would change, and does without", async () => {
    const { id } = await make(seller);
    for (const body of [{ name: "Other" }, {}])
      expectProblem(await put(seller, id, body, versionTag(2)), "precondition_failed");
    expect((await put(seller, id, { name: "First" }, versionTag(1))).data.version).toBe(2);
    expectProblem(await put(seller, id, { name: "Late" }, versionTag(1)), "precondition_failed");
    expect((await put(seller, id, { name: "Second" })).data.version).toBe(3);
    expect((await get(seller, id)).data.name).toBe("Second");
  });

  test("looks at the body first, then at the record, then at its version", async () => {
    const { id } = await make(seller);
    expectInvalid(await put(seller, unknown, { name: "" }, versionTag(9)), "/name");
    expectProblem(await put(seller, unknown, { name: "Other" }, versionTag(9)), "not_found");
    expectProblem(await put(customer, unknown, { name: "" }, versionTag(9)), "forbidden");
    expectInvalid(await seller.call("PUT", `${path}/${id}`), "");
  });
});
