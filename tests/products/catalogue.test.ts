import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { World } from "../../schema/world.ts";
import { type House, openHouse, type Person } from "../house.ts";
import { eventually } from "../streams/bus.ts";
import { sampleProducts } from "./generator.ts";
import { make, newCategory, put, remove } from "./products.ts";
import { catalogueOf, type Elsewhere, elsewhere } from "./programs.ts";
import { search, untilFound } from "./shelf.ts";

const count = 40;

let house: House;
let admin: Person;
let customer: Person;
/** The same customer at a second program on the same database. */
let there: Elsewhere;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
  const samples = sampleProducts(count).map(({ sku, ...sample }) => ({ ...sample, status: "active" }));
  await Promise.all(samples.map((each) => make(admin, each)));
  there = await elsewhere(house, customer);
  await untilFound(customer, {}, count);
});
afterAll(async () => {
  await there[Symbol.asyncDispose]();
  await house.close();
});

/** Waits until a search finds so many at both. */
const everywhere = (query: Record<string, string>, total: number) =>
  Promise.all([customer, there].map((person) => untilFound(person, query, total)));
const found = async (person: Person, query: Record<string, string>) => (await search(person, query)).data;

/** Makes a change and waits until all programs know of it: within a second, unless the machine stood still three times. */
async function followed(change: () => Promise<unknown>, known: (person: Person) => Promise<boolean>) {
  const times: number[] = [];
  while (times.length < 3) {
    await change();
    const began = performance.now();
    await eventually(async () => (await Promise.all([customer, there].map(known))).every(Boolean));
    times.push(performance.now() - began);
    if (times.at(-1)! < 1000) return;
  }
  throw new Error(`Known after ${times.map(Math.round)} ms.`);
}

describe("a second after a change at one program, every program", () => {
  test("finds a product that was made", async () => {
    let category = "";
    await followed(
      () => {
        category = newCategory();
        return make(admin, { name: "Marigold", category, status: "active" });
      },
      async (person) => (await found(person, { q: "marigold", category })).length === 1,
    );
  });

  test("finds it as what it has become, and not as what it was", async () => {
    const category = newCategory();
    const { id } = await make(admin, { name: "Heliotrope", category, status: "active" });
    const names = ["Hyacinth", "Periwinkle", "Snapdragon"];
    let name = "";
    await followed(
      async () => {
        name = names.pop()!;
        await put(admin, id, { name, monthlyPrice: names.length });
      },
      async (person) => (await found(person, { q: name, category })).length === 1,
    );
    const { data } = await customer.call("GET", `/api/products/${id}`);
    for (const person of [customer, there]) {
      expect(await found(person, { category })).toEqual([data]);
      expect(await found(person, { q: "heliotrope", category })).toEqual([]);
    }
  });

  test("knows of it at once, where it is told, and not when it looks next", async () => {
    for (let [inARow, tries] = [0, 0]; inARow < 3; tries++) {
      const category = newCategory();
      await make(admin, { category, status: "active" });
      const began = performance.now();
      await untilFound(there, { category }, 1);
      inARow = performance.now() - began < 300 ? inARow + 1 : 0;
      expect(tries).toBeLessThan(20);
    }
  });

  test("finds none that was taken off sale or deleted", async () => {
    for (const end of [
      (id: string) => put(admin, id, { status: "paused" }),
      (id: string) => remove(admin, id),
    ]) {
      const category = newCategory();
      const { id } = await make(admin, { category, status: "active" });
      await everywhere({ category }, 1);
      await followed(
        () => end(id),
        async (person) => (await found(person, { category })).length === 0,
      );
    }
  });
});

describe("a second after a row has changed and nobody was told, every program", () => {
  const cases: [what: string, sql: string, total: number][] = [
    [
      "has taken in a later version",
      "UPDATE products SET category = ?, version = version + 1 WHERE id = ?",
      1,
    ],
    [
      "has taken in an earlier version",
      "UPDATE products SET category = ?, version = version - 1 WHERE id = ?",
      1,
    ],
    ["has taken out what is gone", "DELETE FROM products WHERE category <> ? AND id = ?", 0],
  ];
  for (const [what, sql, total] of cases)
    test.concurrent(what, async () => {
      const [before, after] = [newCategory(), newCategory()];
      const { id } = await make(admin, { category: before, status: "active" });
      await put(admin, id, { name: "Marigold" });
      await everywhere({ category: before, q: "marigold" }, 1);
      await followed(
        () => house.rows(sql, [after, id]),
        async (person) => (await found(person, { category: before })).length === 0,
      );
      await everywhere({ category: after }, total);
    });

  test.concurrent("finds a row that came by itself", async () => {
    const [category, { id }] = [newCategory(), await make(admin, { status: "active" })];
    const [row] = await house.rows("SELECT * FROM products WHERE id = ?", [id]);
    const copy = () => ({ ...row, id: house.world.newId(), sku: newCategory(), category });
    await followed(
      () => house.rows("INSERT INTO products SET ?", [copy()]),
      async (person) => (await found(person, { category })).length > 0,
    );
  });
});

test("a product that came while the others were read, and went right after, is taken out", async () => {
  const [category, { id }] = [newCategory(), await make(admin, { status: "active" })];
  const [row] = await house.rows("SELECT * FROM products WHERE id = ?", [id]);
  const doomed = { ...row, id: house.world.newId(), sku: newCategory(), category };
  let came = false;
  /** As the database is, but that a product comes between two reads of one round. */
  const select = (fields?: any) => ({
    from: async (table: any) => {
      if ("id" in (fields ?? {}) && !came) {
        came = true;
        await house.rows("INSERT INTO products SET ?", [doomed]);
      }
      return house.world.db.select(fields).from(table);
    },
  });
  const db = { select: (fields?: any) => (fields ? select(fields) : house.world.db.select()) };
  await using catalogue = catalogueOf({ ...house.world, db } as unknown as World);
  await catalogue.loaded();
  expect(catalogue.entries.has(doomed.id)).toBe(true);
  await house.rows("DELETE FROM products WHERE id = ?", [doomed.id]);
  await eventually(() => !catalogue.entries.has(doomed.id), 3000);
});

test("programs that write at once agree with the database in the end", async () => {
  const category = newCategory();
  const write = async (n: number) => {
    const { id } = await make(admin, { name: `Busy ${n}`, category, status: "active" });
    if (n % 3) await put(admin, id, { name: `Busier ${n}`, sortOrder: n });
    if (n % 5 === 0) await remove(admin, id);
  };
  await Promise.all(Array.from({ length: 60 }, (_, n) => write(n)));
  const query = { category, limit: 100, sort: "createdAt" };
  const listed = await customer.call("GET", `/api/products?${new URLSearchParams(query as never)}`);
  expect(listed.data).toHaveLength(48);
  for (const person of [customer, there])
    await eventually(async () => Bun.deepEquals((await search(person, query)).data, listed.data));
});
