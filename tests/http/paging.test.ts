import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { backup, requests } from "../provisioning/stages.ts";
import { expectInvalid } from "./answers.ts";

const count = 23;
const limit = 5;

let house: House;
let person: Person;
/** The ids of all, the newest first. */
let ids: string[];
beforeAll(async () => {
  house = await openHouse();
  person = await house.signUp();
  const made = await Promise.all(
    Array.from({ length: count }, () => person.call("POST", requests, backup(person.tenantId))),
  );
  const newestFirst = (a: any, b: any) => b.createdAt.localeCompare(a.createdAt) || b.id.localeCompare(a.id);
  ids = made
    .map(({ data }) => data)
    .sort(newestFirst)
    .map(({ id }) => id);
});
afterAll(() => house.close());

const list = (query: string) => person.call("GET", `${requests}?limit=${limit}${query}`);

/** The pages of a list, each asked for by what the one before has said. */
async function walk(next: (page: number, cursor: string | null) => string) {
  const pages = [await list("")];
  while (pages.at(-1)?.body.meta.has_more)
    pages.push(await list(next(pages.length + 1, pages.at(-1)?.body.meta.next_cursor)));
  return pages;
}

describe("a walk through a list", () => {
  for (const [way, next] of [
    ["cursor", (_, cursor) => `&cursor=${cursor}`],
    ["offset", (page) => `&offset=${(page - 1) * limit}`],
    ["page", (page) => `&page=${page}`],
  ] as [string, (page: number, cursor: string | null) => string][])
    test(`by ${way} meets every row once, in order`, async () => {
      const pages = await walk(next);
      expect(pages.flatMap(({ data }) => data.map(({ id }: any) => id))).toEqual(ids);
      const meta = pages.map(({ body }) => body.meta);
      expect(meta.map(({ page }) => page)).toEqual([1, 2, 3, 4, 5]);
      expect(meta.map(({ has_more }) => has_more)).toEqual([true, true, true, true, false]);
      expect(meta.at(-1).next_cursor).toBeNull();
      for (const { total, per_page } of meta) expect([total, per_page]).toEqual([count, limit]);
    });

  test("by cursor meets each row once while others are added, and whichever way it is sorted", async () => {
    for (const [sort, expected] of [
      ["-createdAt", ids],
      ["createdAt", ids.toReversed()],
    ] as const) {
      const found: string[] = [];
      let query = `&sort=${sort}`;
      for (;;) {
        const { data, body } = await list(query);
        found.push(...data.map(({ id }: any) => id));
        if (!body.meta.has_more) break;
        await person.call("POST", requests, backup(person.tenantId));
        query = `&sort=${sort}&cursor=${body.meta.next_cursor}`;
      }
      // Rows that came after the walk began may be met at its end.
      expect(found.filter((id) => ids.includes(id))).toEqual([...expected]);
      expect(new Set(found).size).toBe(found.length);
    }
  });
});

describe("a cursor", () => {
  const mangled = (place: number, value: unknown) => async () => {
    const { next_cursor } = (await list("")).body.meta;
    const parts = JSON.parse(Buffer.from(next_cursor, "base64url").toString());
    const cursor = Buffer.from(JSON.stringify(parts.with(place, value))).toString("base64url");
    expectInvalid(await list(`&cursor=${cursor}`), "query/cursor");
  };

  test("has no more rows before it than there can be", mangled(3, 1e300));
  test("has a key of its column's type", mangled(1, "abc'"));
  test("has the sort of its page", mangled(0, "createdAt"));
});

describe("a list", () => {
  test("goes 10,000 rows deep by offset and page, and no deeper", async () => {
    expect((await person.call("GET", `${requests}?limit=100&page=101`)).data).toEqual([]);
    expectInvalid(await person.call("GET", `${requests}?limit=100&page=102`), "query/page");
    expect((await person.call("GET", `${requests}?offset=10000`)).data).toEqual([]);
  });

  test("begins in one way alone", async () => {
    expectInvalid(await list("&offset=5&page=2"), "query/page");
    const { next_cursor } = (await list("")).body.meta;
    expectInvalid(await list(`&cursor=${next_cursor}&offset=5`), "query/offset");
  });
});
