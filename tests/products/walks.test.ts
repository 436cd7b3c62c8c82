import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { drizzle } from "drizzle-orm/mysql2";
import { createConnection, type RowDataPacket } from "mysql2/promise";
import type { Call } from "../../src/http/call.ts";
import { listProducts } from "../../src/products/products.queries.ts";
import { type House, openHouse, type Person } from "../house.ts";
import { idsOf, make, newCategory, path, put, remove } from "./products.ts";

let house: House;
let admin: Person;
let customer: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
});
afterAll(() => house.close());

const sorts = ["sortOrder", "name", "monthlyPrice", "createdAt"].flatMap((field) => [field, `-${field}`]);
const list = (person: Person, query: string) => person.call("GET", `${path}?${query}`);

/** Active products of a category of their own, several alike in each thing to sort by. */
async function shelf(count: number) {
  const category = newCategory();
  const alike = Array.from({ length: count }, (_, i) => ({
    ...{ name: `Server ${i % 4}`, monthlyPrice: i % 3, sortOrder: i % 5 },
  }));
  const made = await Promise.all(alike.map((each) => make(admin, { ...each, category, status: "active" })));
  return { category, ids: made.map(({ id }) => id as string) };
}

describe("a walk by cursor", () => {
  for (const sort of sorts)
    test(`by ${sort} meets each product once, while others come, go and change`, async () => {
      const { category, ids } = await shelf(24);
      const query = `category=${category}&sort=${sort}&limit=5`;
      const met: string[] = [];
      const seen: number[] = [];
      const doomed: string[] = [];
      for (let cursor = ""; ; ) {
        const { data, body } = await list(customer, `${query}${cursor}`);
        met.push(...data.map(({ id }: any) => id));
        seen.push(data.length);
        if (!body.meta.has_more) break;
        cursor = `&cursor=${body.meta.next_cursor}`;
        const [first, last] = [data[0].id, data.at(-1).id];
        const extremes = [
          { name: "A", monthlyPrice: 0, sortOrder: -9 },
          { name: "Server 1", monthlyPrice: 1, sortOrder: 1 },
          { name: "Z", monthlyPrice: 9, sortOrder: 99 },
        ];
        const come = extremes.map((each) => make(admin, { ...each, category, status: "active" }));
        // The row that the cursor names goes, another is no longer seen; the rest keep their places.
        const go = [remove(admin, last), put(admin, first, { status: "draft" })];
        await Promise.all([...come, ...go, put(admin, ids[7]!, { description: `seen ${cursor}` })]);
        doomed.push(first, last);
      }
      expect(new Set(met).size).toBe(met.length);
      const stayed = met.filter((id) => ids.includes(id));
      expect(stayed.sort()).toEqual(ids.toSorted());
      expect(seen.slice(0, -1).every((count) => count === 5)).toBe(true);
      expect(doomed.length).toBeGreaterThan(6);
    });

  test("by name meets each once, whatever is in the names", async () => {
    const category = newCategory();
    const names = [
      "A",
      "a",
      "á",
      "A ",
      "ß",
      "ss",
      "SS",
      "æ",
      "ae",
      "👩",
      "👩‍🚀",
      "🚀",
      "日本",
      "日",
      "\u200b",
      "\u00ad",
    ];
    names.push("%", "_", "'", "\\", '"', "0", "00", "10", "9", "a b", "ab", "a-b", "e\u0301", "é", " ", "  ");
    const made = await Promise.all(names.map((name) => make(admin, { category, name })));
    const walked = async (sort: string, limit: number) => {
      const met: string[] = [];
      for (let cursor = ""; ; ) {
        const { data, body } = await list(admin, `category=${category}&sort=${sort}&limit=${limit}${cursor}`);
        met.push(...data.map(({ id }: any) => id));
        if (!body.meta.has_more) return met;
        cursor = `&cursor=${body.meta.next_cursor}`;
      }
    };
    const all = await walked("name", 100);
    expect(all.toSorted()).toEqual(made.map(({ id }) => id).sort());
    for (const limit of [1, 3]) {
      expect(await walked("name", limit)).toEqual(all);
      expect(await walked("-name", limit)).toEqual(all.toReversed());
    }
  });

  test("meets what is seen by the time it comes there", async () => {
    const { category, ids } = await shelf(6);
    const query = `category=${category}&sort=createdAt&limit=2`;
    const first = await list(customer, query);
    const rest = ids.toSorted().slice(2);
    await put(admin, rest[0]!, { status: "paused" });
    const second = await list(customer, `${query}&cursor=${first.body.meta.next_cursor}`);
    expect([idsOf(second), second.body.meta.total]).toEqual([rest.slice(1, 3), 5]);
    await put(admin, rest[0]!, { status: "active" });
    const again = await list(customer, `${query}&cursor=${first.body.meta.next_cursor}`);
    expect(idsOf(again)).toEqual(rest.slice(0, 2));
  });
});

describe("a page of many products", () => {
  /** What the server reads for a page, through a connection of its own. */
  async function rowsRead(scope: string | null, query: Parameters<typeof listProducts>[2]) {
    const connection = await createConnection(house.world.mysql);
    const queries: [string, any[]][] = [];
    const logger = { logQuery: (text: string, values: unknown[]) => void queries.push([text, values]) };
    const world = { ...house.world, db: drizzle(connection, { logger }) };
    const call = { scope } as Call;
    const rows = await listProducts(world, call, query);
    const [text, values] = queries.find(([text]) => !text.includes("count("))!;
    await connection.query("FLUSH STATUS");
    await connection.execute(text, values);
    const [status] = await connection.query<RowDataPacket[]>("SHOW SESSION STATUS LIKE 'Handler_read%'");
    await connection.end();
    const read = status.reduce((sum, { Value }) => sum + Number(Value), 0);
    return { read, rows: rows.length, next: (call.meta as { next_cursor: string }).next_cursor };
  }

  test("reads as much of an index, in its order, at its end as at its beginning", async () => {
    const count = 3000;
    await house.rows(
      `INSERT INTO products (id, version, createdAt, updatedAt, sku, name, category, status, specs, monthlyPrice,
         currency, annualDiscount, features, isPopular, sortOrder, ordered)
       SELECT UUID(), 1, NOW(3) + INTERVAL seq DIV 9 SECOND, NOW(3), CONCAT('many-', seq), CONCAT('Server ', seq DIV 7),
         'many', 'active', '{}', seq DIV 5, 'USD', 0, '[]', 0, seq DIV 3, 0 FROM seq_1_to_${count}`,
    );
    await house.rows("ANALYZE TABLE products");
    for (const sort of sorts as Parameters<typeof listProducts>[2]["sort"][])
      for (const scope of [null, customer.tenantId]) {
        const deep = await rowsRead(scope, { sort, limit: 20, offset: count - 500 });
        const pages = [
          await rowsRead(scope, { sort, limit: 20 }),
          await rowsRead(scope, { sort, limit: 20, cursor: deep.next }),
        ];
        for (const { rows, read } of pages) {
          expect(rows).toBe(20);
          // The keys in order, a row for each, and the page itself in order.
          expect([sort, scope, read < 200]).toEqual([sort, scope, true]);
        }
        expect(deep.read).toBeGreaterThan(count - 500);
      }
  });
});
