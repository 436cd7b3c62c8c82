import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { PoolConnection } from "mysql2/promise";
import { type Answer, type House, openHouse, type Person } from "../house.ts";
import { expectInvalid, expectProblem } from "../http/answers.ts";
import { eventually } from "../streams/bus.ts";
import { expectReport, importFile, linesOf, withSku } from "./imports.ts";
import { newSku } from "./products.endpoints.ts";
import { get, historyOf, make, newProduct, path, put, remove } from "./products.ts";

/* Imports at once with others, through two programs. */

let house: House;
let second: House;
let seller: Person;
let elsewhere: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  second = await openHouse({ config: house.program.landfall.config, samples: false });
  seller = await house.staff("PRODUCT");
  elsewhere = {
    ...seller,
    call: (method, to, body, headers) =>
      second.call(method, to, body, { Authorization: `Bearer ${seller.token}`, ...headers }),
  };
});
afterAll(async () => {
  await second.program.stop();
  await house.close();
});

const newRows = (count: number, more: object = {}) => Array.from({ length: count }, () => newProduct(more));
const skusOf = (rows: { sku: string }[]) => rows.map(({ sku }) => sku);
const stored = (skus: string[]) =>
  house.rows("SELECT id, version, name, monthlyPrice FROM products WHERE sku IN (?) ORDER BY sku", [skus]);
const total = (answers: Answer[], count: string) => answers.reduce((sum, { data }) => sum + data[count], 0);
/** Through the one program and the other in turn. */
const who = (i: number) => (i % 2 ? elsewhere : seller);

describe("imports at once", () => {
  test("of the same new file make each product once; the counts add up", async () => {
    const rows = newRows(100);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => importFile(who(i), linesOf(...(i % 3 ? rows : rows.toReversed())))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(total(answers, "created")).toBe(100);
    expect(total(answers, "unchanged")).toBe(500);
    expect(total(answers, "updated")).toBe(0);
    const found = await stored(skusOf(rows));
    expect(found.map(({ version }) => version)).toEqual(Array(100).fill(1));
  });

  test("that overlap lose nothing of each other", async () => {
    const rows = newRows(90);
    const parts = [rows.slice(0, 40), rows.slice(20, 60), rows.slice(50), rows.filter((_, i) => i % 3 === 0)];
    const answers = await Promise.all(parts.map((part, i) => importFile(who(i), linesOf(...part))));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(total(answers, "created")).toBe(90);
    expect(total(answers, "created") + total(answers, "unchanged")).toBe(parts.flat().length);
    expect(await stored(skusOf(rows))).toHaveLength(90);
  });

  test("of the same products are done one after the other, each whole", async () => {
    const rows = newRows(60);
    expectReport(await importFile(seller, linesOf(...rows)), { created: 60 });
    const names = ["First", "Second", "Third", "Fourth"];
    const answers = await Promise.all(
      names.map((name, i) => {
        const changed = rows.map(({ sku }) => ({ sku, name, monthlyPrice: i + 1 }));
        return importFile(who(i), linesOf(...(i < 2 ? changed : changed.toReversed())));
      }),
    );
    for (const answer of answers) expectReport(answer, { updated: 60 });
    const found = await stored(skusOf(rows));
    expect(found.map(({ version }) => version)).toEqual(Array(60).fill(5));
    const [{ name, monthlyPrice }] = found;
    expect(names[Number(monthlyPrice) - 1]).toBe(name);
    expect(new Set(found.map((product) => `${product.name} ${product.monthlyPrice}`)).size).toBe(1);
  });
});

describe("an import and single", () => {
  test("creates: each product is made once, by whoever came first", async () => {
    const rows = newRows(40);
    const [imported, ...created] = await Promise.all([
      importFile(seller, linesOf(...rows)),
      ...rows.map((row, i) => who(i).call("POST", path, { ...row, name: "Single" })),
    ]);
    const made = created.filter(({ status }) => status === 201);
    for (const answer of created) if (answer.status !== 201) expectProblem(answer, "already_exists");
    expectReport(imported, { created: 40 - made.length, updated: made.length });
    const found = await stored(skusOf(rows));
    expect(found.map(({ name }) => name)).toEqual(Array(40).fill("Standard VM 4"));
    const changed = found.filter(({ version }) => version === 2).map(({ id }) => id);
    expect(changed.sort()).toEqual(made.map(({ data }) => data.id).sort());
  });

  test("updates of other fields: neither loses anything", async () => {
    const made = await Promise.all(Array.from({ length: 40 }, () => make(seller)));
    const rows = made.map(({ sku }) => ({ sku, monthlyPrice: 5 }));
    const [imported, ...updated] = await Promise.all([
      importFile(seller, linesOf(...rows)),
      ...made.map(({ id }, i) => put(who(i), id, { name: "Renamed" })),
    ]);
    expectReport(imported, { updated: 40 });
    expect(updated.map(({ status }) => status)).toEqual(Array(40).fill(200));
    for (const { name, monthlyPrice, version } of await stored(skusOf(rows)))
      expect([name, Number(monthlyPrice), version]).toEqual(["Renamed", 5, 3]);
    const { data } = await historyOf(seller, made[0].id);
    expect(
      data
        .map(({ changes }: any) => Object.keys(changes))
        .slice(0, 2)
        .flat()
        .sort(),
    ).toEqual(["monthlyPrice", "name"]);
  });

  test("deletes: a product that goes first is made anew", async () => {
    const made = await Promise.all(Array.from({ length: 40 }, () => make(seller)));
    const rows = made.map(({ sku }) => newProduct({ sku, name: "Imported" }));
    const [imported, ...deleted] = await Promise.all([
      importFile(seller, linesOf(...rows)),
      ...made.map(({ id }, i) => remove(who(i), id)),
    ]);
    expect(deleted.map(({ status }) => status)).toEqual(Array(40).fill(200));
    expect([imported.status, imported.data.created + imported.data.updated]).toEqual([200, 40]);
    const found = await stored(skusOf(rows));
    expect(found).toHaveLength(imported.data.created);
    for (const { name, version } of found) expect([name, version]).toEqual(["Imported", 1]);
  });
});

describe("an import that was overtaken between its look and its commit", () => {
  /** Sends a file while `change` is under way in another transaction, which ends when the import waits for it. */
  async function overtaken(file: string, change: (connection: PoolConnection) => Promise<unknown>) {
    const connection = await house.world.pool.getConnection();
    try {
      await connection.beginTransaction();
      await change(connection);
      const answer = importFile(seller, file);
      await eventually(waits);
      await connection.commit();
      return await answer;
    } finally {
      await connection.rollback();
      connection.release();
    }
  }
  /** Whether a connection of this house waits for a row; the tables of information_schema stand still while they are polled. */
  async function waits(): Promise<boolean> {
    const own = await house.rows("SELECT id FROM information_schema.processlist WHERE db = DATABASE()");
    const [{ Status: status }] = await house.rows("SHOW ENGINE INNODB STATUS");
    const waiting = status.split("---TRANSACTION").filter((text: string) => text.includes("LOCK WAIT"));
    return own.some(({ id }) => waiting.some((text: string) => text.includes(`thread id ${id},`)));
  }
  const copyAs = (id: string, sku: string) => (connection: PoolConnection) =>
    connection.query(
      `INSERT INTO products SELECT ?, version, createdAt, updatedAt, ?, name, description, category, status, specs,
        monthlyPrice, hourlyPrice, unitPrice, currency, annualDiscount, tier, features, isPopular, sortOrder,
        ctaText, ctaAction, ordered FROM products WHERE id = ?`,
      [house.world.newId(), sku, id],
    );

  test("updates the product that somebody else has made", async () => {
    const [known, row] = [await make(seller), newProduct({ name: "Imported" })];
    const answer = await overtaken(linesOf(newProduct(), row), copyAs(known.id, row.sku));
    expectReport(answer, { created: 1, updated: 1 });
    expect(await withSku(house, seller, row.sku)).toMatchObject({ name: "Imported", version: 2 });
  });

  test("makes the product anew that somebody else has deleted", async () => {
    const known = await make(seller);
    const row = newProduct({ sku: known.sku, name: "Imported" });
    const answer = await overtaken(linesOf(newProduct(), row), (connection) =>
      connection.query("DELETE FROM products WHERE id = ?", [known.id]),
    );
    expectReport(answer, { created: 2 });
    expectProblem(await get(seller, known.id), "not_found");
    expect(await withSku(house, seller, known.sku)).toMatchObject({ name: "Imported", version: 1 });
  });

  test("is refused where its row says too little of a product that is gone", async () => {
    const [known, other] = [await make(seller), newProduct()];
    const answer = await overtaken(linesOf(other, { sku: known.sku, name: "Imported" }), (connection) =>
      connection.query("DELETE FROM products WHERE id = ?", [known.id]),
    );
    expectInvalid(answer, "/1/category", "/1/monthlyPrice");
    expect(await withSku(house, seller, other.sku)).toBeUndefined();
  });

  test("leaves the new sku to a product that was given one", async () => {
    const [known, sku] = [await make(seller), newSku()];
    const answer = await overtaken(linesOf({ sku: known.sku, name: "Imported" }), (connection) =>
      connection.query("UPDATE products SET sku = ?, version = version + 1 WHERE id = ?", [sku, known.id]),
    );
    expectReport(answer, { updated: 1 });
    expect((await get(seller, known.id)).data).toMatchObject({ sku, name: "Imported", version: 3 });
  });
});
