import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from "bun:test";
import { createConnection } from "mysql2/promise";
import { Unavailable, type World } from "../../schema/world.ts";
import { openCatalogue } from "../../src/products/catalogue.ts";
import { type House, openHouse, type Person } from "../house.ts";
import { sampleProducts } from "./generator.ts";
import { make, newCategory } from "./products.ts";
import { catalogueOf, elsewhere } from "./programs.ts";
import { untilFound } from "./shelf.ts";

const count = 40;

let house: House;
let admin: Person;
let customer: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
  const samples = sampleProducts(count).map(({ sku, ...sample }) => ({ ...sample, status: "active" }));
  await Promise.all(samples.map((each) => make(admin, each)));
  await untilFound(customer, {}, count);
});
afterAll(() => house.close());

const paths = ["search?q=server", "search/suggest?q=server", "search/categories"].map(
  (end) => `/api/products/${end}`,
);
/** All that is answered from memory. */
const ask = async (person: Person) => {
  const answers = await Promise.all([...paths, "/api/pricing-plans"].map((path) => person.call("GET", path)));
  return answers.map(({ status, data }) => ({ status, data }));
};

describe("while the database gives no products", () => {
  for (const [what, take, giveBack] of [
    ["holds them back", "LOCK TABLES products WRITE", "UNLOCK TABLES"],
    [
      "does not have them",
      "RENAME TABLE products TO products_away",
      "RENAME TABLE products_away TO products",
    ],
  ] as const)
    test(`since it ${what}, programs answer on, a new catalogue waits for them, and all follow again`, async () => {
      const before = await ask(customer);
      await using connection = await createConnection(house.world.mysql);
      await connection.query(take);
      await using catalogue = catalogueOf(house.world);
      for (let round = 0; round < 5; round++) {
        expect(await ask(customer)).toEqual(before);
        expect(catalogue.entries.size).toBe(0);
      }
      await connection.query(giveBack);
      await catalogue.loaded();
      const [{ total }] = await house.rows("SELECT COUNT(*) AS total FROM products");
      expect(catalogue.entries.size).toBe(total);
      const category = newCategory();
      await make(admin, { category, status: "active" });
      await untilFound(customer, { category }, 1);
    });
});

describe("a program that starts", () => {
  test("lets the first searches wait for the products, and answers them in full", async () => {
    const before = await ask(customer);
    await house.rows("RENAME TABLE products TO products_away");
    await using started = await elsewhere(house, customer);
    let early = true;
    const waiting = ask(started).then((answers) => ({ answers, early }));
    expect((await started.call("GET", "/api/health")).status).toBe(200);
    early = false;
    await house.rows("RENAME TABLE products_away TO products");
    expect(await waiting).toEqual({ answers: before, early: false });
  });

  test("finds what the others find, in the same order", async () => {
    await using started = await elsewhere(house, customer);
    for (const query of ["limit=100", "q=server", "q=servr%20frankfurt", "sort=name&limit=100"]) {
      const [here, again] = await Promise.all(
        [customer, started].map((person) => person.call("GET", `/api/products/search?${query}`)),
      );
      expect(again!.data).toEqual(here!.data);
      expect(again!.body.meta.facets).toEqual(here!.body.meta.facets);
    }
  });
});

describe("a catalogue that can't be loaded", () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  test("says after 5 s to come again", async () => {
    const never = { from: () => new Promise(() => {}) };
    const world = { ...house.world, db: { select: () => never } } as unknown as World;
    const catalogue = openCatalogue(world);
    jest.useFakeTimers();
    let refusal: unknown;
    const loaded = catalogue.loaded().catch((error) => {
      refusal = error;
    });
    jest.advanceTimersByTime(4999);
    await Promise.resolve();
    expect(refusal).toBeUndefined();
    jest.advanceTimersByTime(1);
    await loaded;
    expect(refusal).toBeInstanceOf(Unavailable);
  });
});
