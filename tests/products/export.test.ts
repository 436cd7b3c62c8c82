import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { productFields } from "../../schema/products/product.ts";
import { type House, openHouse, type Person } from "../house.ts";
import { expectGatewayHeaders, expectInvalid, expectProblem } from "../http/answers.ts";
import { csv, expectReport, exported, importFile, rowsOf } from "./imports.ts";
import { create, make, path, put, remove, withApiKey } from "./products.ts";

let house: House;
let admin: Person;
let seller: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  [admin, seller] = await Promise.all([house.admin(), house.staff("PRODUCT")]);
});
afterAll(() => house.close());

const ask = (person: Person, query = "") => person.call("GET", `${path}/export${query}`);
const fieldsOf = (product: any) => Object.fromEntries(productFields.map((field) => [field, product[field]]));

describe("GET /api/products/export", () => {
  beforeEach(() => house.rows("DELETE FROM products"));

  test("of nothing is a file all the same", async () => {
    expect(await exported(house, seller, "jsonl")).toBe("");
    const file = await exported(house, seller, "csv");
    expect(file).toBe(`${productFields.join(",")}\r\n`);
    expectReport(await importFile(seller, file, { type: csv }), {});
  });

  test("is NDJSON unless asked otherwise: a product a line, whatever its status, the first made first", async () => {
    const made = [];
    for (const status of ["draft", "active", "paused", "archived"])
      made.push(await make(seller, { status, hourlyPrice: 0.000001, features: ['"a", b'] }));
    for (const [person, query] of [
      [seller, ""],
      [admin, "?format=jsonl"],
    ] as const) {
      const answer = await ask(person, query);
      expectGatewayHeaders(answer);
      expect(answer.status).toBe(200);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "content-type": "application/x-ndjson",
        "content-disposition": 'attachment; filename="products.jsonl"',
        "cache-control": "no-store",
      });
      const rows = rowsOf(answer.body);
      expect(rows).toEqual((await Promise.all(made)).map(fieldsOf));
      expect(rows.map((row) => Object.keys(row))).toEqual(Array(4).fill(productFields));
      expect(answer.body).toEndWith("}\n");
    }
  });

  test("is CSV with a header line, where it is asked for", async () => {
    const texts = { name: 'say "so", Ä', description: "two\r\nlines", ctaText: "=1+1" };
    const { sku } = await make(seller, { ...texts, specs: { a: "b" }, unitPrice: 5, sortOrder: 99 });
    const answer = await ask(seller, "?format=csv");
    expectGatewayHeaders(answer);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": 'attachment; filename="products.csv"',
      "cache-control": "no-store",
    });
    const [header, ...lines] = answer.body.split(/\r\n(?!lines)/);
    expect(header).toBe(productFields.join(","));
    const cells = `${sku},"say ""so"", Ä","two\r\nlines",compute,draft,"{""a"":""b""}",24.9,,5,USD,0,,[],false,99,=1+1,`;
    expect(lines).toEqual([cells, ""]);
  });

  test("is for ADMIN and PRODUCT alone", async () => {
    const others = [
      await house.signUp(),
      ...(await Promise.all(["OPS", "SALES", "FINANCE", "SECURITY"].map((role) => house.staff(role)))),
      await house.service(admin),
      await withApiKey(house, admin, "products:read"),
      await withApiKey(house, seller, "products:read", "products:write"),
      await withApiKey(house, admin),
    ];
    for (const person of others)
      for (const query of ["", "?format=csv", "?format=xml"])
        expectProblem(await ask(person, query), "forbidden");
    expectProblem(await house.call("GET", `${path}/export`), "unauthenticated");
  });

  test("has two formats and no other parameter", async () => {
    for (const format of ["", "xml", "CSV", "json", "ndjson", "csv&format=csv"])
      expectInvalid(await ask(seller, `?format=${format}`), "query/format");
    expectInvalid(await ask(seller, "?status=active"), "query/status");
  });

  test("answers HEAD without the file", async () => {
    const answer = await seller.call("HEAD", `${path}/export?format=csv`);
    expect([answer.status, answer.body]).toEqual([200, ""]);
    expect(answer.headers.get("content-type")).toStartWith("text/csv");
  });
});

describe("the export of 3,000 products", () => {
  const count = 3000;
  /** More text than the buffers on the way hold. */
  const description = "A machine of your own. ".repeat(200);
  let ids: string[];
  beforeAll(async () => {
    const { id } = await make(seller, { description });
    ids = Array.from({ length: count }, () => house.world.newId());
    const columns = ["version", "createdAt", "updatedAt", ...productFields.slice(1), "ordered"].join(",");
    for (let at = 0; at < count; at += 500) {
      const rows = ids
        .slice(at, at + 500)
        .map((made, i) => `SELECT '${made}' AS id, 'many-${at + i}' AS sku`);
      await house.rows(
        `INSERT INTO products (id, sku, ${columns})
         SELECT many.id, many.sku, ${columns} FROM (${rows.join(" UNION ALL ")}) AS many
         JOIN (SELECT ${columns} FROM products WHERE id = ?) AS one`,
        [id],
      );
    }
  });
  const many = (file: string) =>
    rowsOf(file)
      .map(({ sku }) => sku)
      .filter((sku) => sku.startsWith("many-"));
  const all = Array.from({ length: count }, (_, i) => `many-${i}`);

  test("is sent while it is read: its first bytes come before the last product is looked at", async () => {
    const response = await fetch(`${house.program.url}${path}/export`, {
      headers: { Authorization: `Bearer ${seller.token}` },
    });
    const reader = response.body!.getReader();
    const first = await reader.read();
    await put(seller, ids.at(-1) as string, { ctaText: "changed meanwhile" });
    const parts = [first.value!];
    for (let part = await reader.read(); !part.done; part = await reader.read()) parts.push(part.value);
    const file = Buffer.concat(parts).toString();
    expect(many(file)).toEqual(all);
    expect(rowsOf(file).at(-1)).toMatchObject({ sku: "many-2999", ctaText: "changed meanwhile" });
  });

  test("has each product once, while others come and go", async () => {
    const before = new Set(rowsOf(await exported(house, seller, "jsonl")).map(({ sku }) => sku));
    const passing = Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const { data } = await create(seller, { name: `Passing ${i}` });
        if (i % 2) await remove(seller, data.id);
      }),
    );
    const [file] = await Promise.all([exported(house, seller, "jsonl"), passing]);
    const skus = rowsOf(file).map(({ sku }) => sku);
    expect(new Set(skus).size).toBe(skus.length);
    expect(skus.filter((sku) => before.has(sku))).toEqual([...before]);
  });

  test("ends when the client goes away, and holds up nobody", async () => {
    const controller = new AbortController();
    const response = await fetch(`${house.program.url}${path}/export?format=csv`, {
      headers: { Authorization: `Bearer ${seller.token}` },
      signal: controller.signal,
    });
    await response.body!.getReader().read();
    controller.abort();
    expect(many(await exported(house, seller, "jsonl"))).toEqual(all);
  });
});
