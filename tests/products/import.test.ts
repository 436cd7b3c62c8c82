import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { expectEnvelope, expectInvalid } from "../http/answers.ts";
import { everything, expectReport, importFile, inVain, linesOf, withSku } from "./imports.ts";
import { newSku } from "./products.endpoints.ts";
import { defaults, get, historyOf, make, newProduct, remove } from "./products.ts";

let house: House;
let seller: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  seller = await house.staff("PRODUCT");
});
afterAll(() => house.close());

const bySku = (sku: string) => withSku(house, seller, sku);

const refused = (file: string) => inVain(house, seller, file);

describe("POST /api/products/import", () => {
  test("creates, updates or leaves the product of each row by its sku, and counts them", async () => {
    const [changed, same] = [
      await make(seller, { tier: "basic" }),
      await make(seller, { features: ["IPv6"] }),
    ];
    const [full, bare] = [newProduct({ specs: { vcpu: "4" }, status: "active" }), newProduct()];
    const answer = await importFile(
      seller,
      linesOf(
        full,
        { sku: changed.sku, name: "Renamed", monthlyPrice: 0.5 },
        { sku: same.sku, features: ["IPv6"], monthlyPrice: 24.9 },
        bare,
      ),
    );
    expectEnvelope(answer);
    expectReport(answer, { created: 2, updated: 1, unchanged: 1 });
    const { updatedAt, ...now } = (await get(seller, changed.id)).data;
    expect({ ...now, updatedAt: changed.updatedAt }).toEqual({
      ...{ ...changed, name: "Renamed", monthlyPrice: 0.5, version: 2 },
    });
    expect(updatedAt >= changed.updatedAt).toBe(true);
    expect((await get(seller, same.id)).data).toEqual(same);
    expect(await bySku(full.sku)).toMatchObject({ ...defaults, ...full, version: 1 });
    expect(await bySku(bare.sku)).toMatchObject({ ...defaults, ...bare, version: 1 });
  });

  test("changes nothing the second time", async () => {
    const file = linesOf(newProduct({ hourlyPrice: 0.000123 }), newProduct({ specs: { b: "1", a: "2" } }));
    expectReport(await importFile(seller, file), { created: 2 });
    const before = await everything(house);
    expectReport(await importFile(seller, file), { unchanged: 2 });
    const otherwise = file.replace('"b":"1","a":"2"', '"a":"2","b":"1"').replace("24.9", "24.90");
    expectReport(await importFile(seller, otherwise), { unchanged: 2 });
    expect(await everything(house)).toEqual(before);
  });

  test("needs the required fields only where the product is new", async () => {
    const known = await make(seller);
    expectReport(await importFile(seller, linesOf({ sku: known.sku })), { unchanged: 1 });
    const file = linesOf({ sku: newSku() }, { sku: known.sku }, {});
    const missing = ["name", "category", "monthlyPrice"];
    const places = missing.flatMap((field) => [`/0/${field}`, `/2/${field}`]);
    expectInvalid(await refused(file), "/2/sku", ...places);
  });

  test("takes away with null what can be missing, and nothing else", async () => {
    const full = {
      description: "d",
      hourlyPrice: 1,
      unitPrice: 1,
      tier: "basic",
      ctaText: "t",
      ctaAction: "a",
    };
    const made = await make(seller, full);
    const nothing = Object.fromEntries(Object.keys(full).map((field) => [field, null]));
    expectReport(await importFile(seller, linesOf({ sku: made.sku, ...nothing })), { updated: 1 });
    expect(await bySku(made.sku)).toMatchObject({
      ...made,
      ...nothing,
      version: 2,
      updatedAt: expect.any(String),
    });
    const others = ["name", "category", "status", "specs", "monthlyPrice", "currency", "annualDiscount"];
    const wrong = [...others, "features", "isPopular", "sortOrder"];
    const row = { sku: made.sku, ...Object.fromEntries(wrong.map((field) => [field, null])) };
    expectInvalid(await refused(linesOf(row)), ...wrong.map((field) => `/0/${field}`));
  });

  test("does all of it or nothing: one faulty row leaves everything as it was, history included", async () => {
    const known = await make(seller);
    const rows = [newProduct(), { sku: known.sku, name: "Renamed" }, newProduct(), { sku: known.sku }];
    expectInvalid(await refused(linesOf(...rows)), "/3/sku");
    expectInvalid(await refused(linesOf(newProduct({ name: "" }), ...rows.slice(0, 3))), "/0/name");
    expectReport(await importFile(seller, linesOf(...rows.slice(0, 3))), { created: 2, updated: 1 });
  });

  test("tells every fault of every row at once; rows count from 0, and blank lines are none", async () => {
    const { sku } = await make(seller);
    const lines = [
      "",
      { sku: "two words", name: "", category: "Compute", monthlyPrice: -1 },
      "   ",
      { sku, monthlyPrice: 24.901, hourlyPrice: 1e-7, features: ["ok", 5], specs: { vcpu: 4, "a/b~": 1 } },
      "{",
      newProduct({ price: 1, id: "x", version: 5, ordered: true }),
      "\t\r",
      newProduct({ annualDiscount: 0.1 + 0.2, currency: "usd" }),
    ];
    const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
    expectInvalid(
      await refused(text),
      ...["/0/sku", "/0/name", "/0/category", "/0/monthlyPrice"],
      ...["/1/monthlyPrice", "/1/hourlyPrice", "/1/features/1", "/1/specs/vcpu", "/1/specs/a~1b~0"],
      ...["/2", "/3/price", "/3/id", "/3/version", "/3/ordered", "/4/annualDiscount", "/4/currency"],
    );
  });

  test("tells 100 faults at most, the first ones", async () => {
    const file = linesOf(...Array.from({ length: 60 }, () => newProduct({ name: "", monthlyPrice: -1 })));
    const { errors } = (await refused(file)).body;
    expect(errors).toHaveLength(100);
    expect(new Set(errors.map(({ pointer }: any) => pointer.split("/")[1]))).toEqual(
      new Set(Array.from({ length: 50 }, (_, i) => String(i))),
    );
  });

  test("tells one fault of a row that is large", async () => {
    const large = newProduct({ features: Array(500_000).fill(1) });
    const answer = await refused(linesOf(newProduct({ name: "" }), large, newProduct({ name: "" })));
    expectInvalid(answer, "/0/name", "/1/features/0", "/2/name");
  });

  test("takes a sku once in a file, and the same letters in another case again", async () => {
    const [one, other] = [newProduct(), newProduct()];
    const lower = { ...one, sku: one.sku.toLowerCase() };
    const answer = await refused(linesOf(one, other, lower, one, { ...one, name: "" }, lower));
    expectInvalid(answer, "/3/sku", "/4/sku", "/4/name", "/5/sku");
    expectReport(await importFile(seller, linesOf(one, other, lower)), { created: 3 });
    expectInvalid(await refused(linesOf({ ...one, name: "" }, one)), "/0/name", "/1/sku");
  });

  test("makes a deleted product anew, and changes one that is archived", async () => {
    const [gone, archived] = [await make(seller), await make(seller, { status: "archived" })];
    await remove(seller, gone.id);
    const rows = [newProduct({ sku: gone.sku }), { sku: archived.sku, name: "Old" }];
    expectReport(await importFile(seller, linesOf(...rows)), { created: 1, updated: 1 });
    expect((await bySku(gone.sku)).id).not.toBe(gone.id);
    expect(await bySku(archived.sku)).toMatchObject({ id: archived.id, name: "Old", status: "archived" });
  });

  test("shows each row in the history of its product, by whoever sent the file", async () => {
    const [known, same, fresh] = [await make(seller), await make(seller), newProduct()];
    const other = await house.staff("PRODUCT", "SALES");
    const update = { sku: known.sku, monthlyPrice: 25 };
    expectReport(await importFile(other, linesOf(update, { sku: same.sku }, fresh)), {
      ...{ created: 1, updated: 1, unchanged: 1 },
    });
    const [change, ...older] = (await historyOf(seller, known.id)).data;
    expect(change).toEqual({
      at: (await bySku(known.sku)).updatedAt,
      actor: { id: other.id, kind: "user" },
      changes: { monthlyPrice: { from: 24.9, to: 25 } },
      version: 2,
    });
    expect(older).toHaveLength(1);
    expect((await historyOf(seller, same.id)).data).toHaveLength(1);
    const [creation, ...none] = (await historyOf(seller, (await bySku(fresh.sku)).id)).data;
    expect(none).toEqual([]);
    expect(creation).toMatchObject({
      actor: { id: other.id },
      changes: { sku: { from: null, to: fresh.sku }, monthlyPrice: { from: null, to: 24.9 } },
      version: 1,
    });
  });
});

describe("a file of 10,000 rows", () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, i) =>
      JSON.stringify(newProduct({ name: `Server ${i}`, sortOrder: i })),
    );

  test("is taken; one of 10,001 is refused whole, at the first too many", async () => {
    const before = (await everything(house)) as { products: unknown[]; history: unknown[] };
    const lines = rows(10_001);
    expectInvalid(await importFile(seller, lines.join("\n")), "/10000");
    expect(await everything(house)).toEqual(before);
    const file = `${lines.slice(1).join("\n\n")}\n\n`;
    expectReport(await importFile(seller, file), { created: 10_000 });
    const after = (await everything(house)) as { products: unknown[]; history: unknown[] };
    expect(after.products.length - before.products.length).toBe(10_000);
    expect(after.history.length - before.history.length).toBe(10_000);
  });
});
