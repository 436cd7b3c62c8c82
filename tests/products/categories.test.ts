import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { expectEnvelope, expectInvalid } from "../http/answers.ts";
import { eventually } from "../streams/bus.ts";
import { make, put, remove } from "./products.ts";
import { search, untilFound } from "./shelf.ts";

let house: House;
let admin: Person;
let customer: Person;
const given = [
  ...Array.from({ length: 3 }, () => ({ category: "network", status: "active" })),
  ...[
    { category: "compute", status: "active" },
    { category: "compute", status: "draft" },
  ],
  ...[
    { category: "10-gbit", status: "active" },
    { category: "hidden", status: "paused" },
  ],
  ...[
    { category: "constructor", status: "active" },
    { category: "old", status: "archived" },
  ],
];
beforeAll(async () => {
  house = await openHouse({ samples: false });
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
  expect((await categories(customer)).data).toEqual([]);
  await Promise.all(given.map((each) => make(admin, each)));
  await untilFound(admin, {}, given.length);
});
afterAll(() => house.close());

const categories = (person: Person, query = "") =>
  person.call("GET", `/api/products/search/categories${query}`);
const countsFor = async (person: Person) =>
  Object.fromEntries((await categories(person)).data.map(({ category, count }: any) => [category, count]));

describe("GET /products/search/categories", () => {
  test("answers those of what is on sale with their counts, by name, all at once", async () => {
    const answer = await categories(customer);
    expect(answer.status).toBe(200);
    expectEnvelope(answer, { list: true });
    expect(answer.data).toEqual([
      { category: "10-gbit", count: 1 },
      { category: "compute", count: 1 },
      { category: "constructor", count: 1 },
      { category: "network", count: 3 },
    ]);
    expect(answer.body.meta).toMatchObject({
      total: 4,
      page: 1,
      per_page: 4,
      has_more: false,
      next_cursor: null,
    });
  });

  test("answers staff and services all there are", async () => {
    const all = { "10-gbit": 1, compute: 2, constructor: 1, hidden: 1, network: 3, old: 1 };
    for (const person of [admin, await house.staff("SALES"), await house.service(admin)])
      expect(await countsFor(person)).toEqual(all);
  });

  test("counts what a search of the category finds", async () => {
    for (const person of [customer, admin])
      for (const [category, count] of Object.entries(await countsFor(person)))
        expect((await search(person, { category })).body.meta.total).toBe(count);
  });

  test("follows what is made, moved, taken off sale and deleted", async () => {
    const until = (expected: object) =>
      eventually(async () => Bun.deepEquals(await countsFor(customer), expected));
    const rest = await countsFor(customer);
    const { id } = await make(admin, { category: "brand-new", status: "active" });
    await until({ ...rest, "brand-new": 1 });
    await put(admin, id, { category: "network" });
    await until({ ...rest, network: 4 });
    await put(admin, id, { status: "paused" });
    await until(rest);
    await put(admin, id, { status: "active" });
    await until({ ...rest, network: 4 });
    await remove(admin, id);
    await until(rest);
  });

  test("takes no parameters", async () => {
    for (const name of ["limit", "page", "status", "q"])
      expectInvalid(await categories(customer, `?${name}=1`), `query/${name}`);
  });
});
