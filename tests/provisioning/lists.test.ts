import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person, vm } from "../house.ts";
import { expectInvalid, expectProblem } from "../http/answers.ts";
import { backup, bring, requests, stages } from "./stages.ts";

let house: House;
let admin: Person;
beforeAll(async () => {
  house = await openHouse();
  admin = await house.admin();
});
afterAll(() => house.close());

/** A new tenant with this many requests, several of one moment. */
async function tenantWith(count: number): Promise<{ person: Person; ids: string[] }> {
  const person = await house.signUp();
  const made = await Promise.all(
    Array.from({ length: count }, () => person.call("POST", requests, backup(person.tenantId))),
  );
  return { person, ids: made.map(({ data }) => data.id) };
}
const list = (person: Person, query = "") => person.call("GET", `${requests}${query}`);
const idsOf = (answer: { data: any }): string[] => answer.data.map(({ id }: any) => id);
const keyOf = ({ createdAt, id }: any): string => `${createdAt} ${id}`;

/** All pages from the first to the last; `between` happens after each. */
async function walk(person: Person, query: string, between?: () => Promise<unknown>) {
  const pages = [await list(person, query)];
  for (let page = pages[0]; page?.body.meta.has_more; pages.push(page)) {
    await between?.();
    page = await list(person, `${query}&cursor=${encodeURIComponent(page.body.meta.next_cursor)}`);
  }
  return pages;
}

describe("GET /provisioning/requests", () => {
  test("answers twenty at a time, the latest first", async () => {
    const { person, ids } = await tenantWith(23);
    const first = await list(person);
    expect(first.body.meta).toMatchObject({ total: 23, page: 1, per_page: 20, has_more: true });
    expect(first.data).toHaveLength(20);
    const [, second] = await walk(person, "?limit=20");
    expect(second?.body.meta).toMatchObject({ total: 23, page: 2, has_more: false, next_cursor: null });
    expect([...idsOf(first), ...idsOf(second!)].sort()).toEqual(ids.sort());
    const keys = [...first.data, ...second!.data].map(keyOf);
    expect(keys).toEqual([...keys].sort().reverse());
  });

  for (const sort of ["-createdAt", "createdAt"])
    test(`by ${sort}: a walk meets each row once, while others come and go`, async () => {
      const { person, ids } = await tenantWith(25);
      const between = () => person.call("POST", requests, backup(person.tenantId));
      const pages = await walk(person, `?limit=4&sort=${sort}`, between);
      const met = pages.flatMap(idsOf);
      expect(new Set(met).size).toBe(met.length);
      const known = met.filter((id) => ids.includes(id));
      expect(known.sort()).toEqual(ids.sort());
      const keys = pages.flatMap(({ data }) => data.map(keyOf));
      const upwards = [...keys].sort();
      expect(keys).toEqual(sort === "createdAt" ? upwards : upwards.reverse());
      expect(pages.map(({ body }) => body.meta.page)).toEqual(pages.map((_, i) => i + 1));
    });

  test("ends a walk that fills its last page", async () => {
    const { person } = await tenantWith(6);
    const pages = await walk(person, "?limit=3");
    expect(pages.map(({ data, body }) => [data.length, body.meta.next_cursor !== null])).toEqual([
      [3, true],
      [3, false],
    ]);
  });

  test("skips rows by offset", async () => {
    const { person } = await tenantWith(7);
    const all = idsOf(await list(person));
    for (const [limit, offset] of [
      [3, 0],
      [3, 3],
      [3, 6],
      [2, 5],
      [100, 2],
      [3, 7],
      [3, 10_000],
    ] as const) {
      const answer = await list(person, `?limit=${limit}&offset=${offset}`);
      expect(idsOf(answer)).toEqual(all.slice(offset, offset + limit));
      const has_more = offset + limit < all.length;
      const page = Math.floor(offset / limit) + 1;
      expect(answer.body.meta).toMatchObject({ total: 7, page, per_page: limit, has_more });
    }
  });

  test("goes on from an offset by cursor", async () => {
    const { person } = await tenantWith(5);
    const all = idsOf(await list(person));
    const pages = await walk(person, "?limit=2&offset=1");
    expect(idsOf(pages[0]!)).toEqual(all.slice(1, 3));
    const { next_cursor } = pages[0]!.body.meta;
    expect(idsOf(await list(person, `?limit=2&cursor=${next_cursor}`))).toEqual(all.slice(3, 5));
  });

  test("is empty for a tenant without any", async () => {
    const answer = await list(await house.signUp());
    expect(answer.data).toEqual([]);
    expect(answer.body.meta).toMatchObject({ total: 0, page: 1, has_more: false, next_cursor: null });
  });

  test("filters, each way and all together", async () => {
    const customer = await house.signUp();
    const cast = { house, customer, admin };
    const active = await stages.ACTIVE(cast);
    const pending = await stages.PENDING(cast);
    const awaiting = await stages.AWAITING_MANUAL(cast);
    const placed = await bring(cast, vm(customer.tenantId));
    const { clusterId } = placed;
    const found: [query: string, requests: any[]][] = [
      ["status=ACTIVE", [active]],
      ["status=PENDING", [placed, pending]],
      ["status=FAILED", []],
      ["resourceType=BACKUP", [pending, active]],
      ["resourceType=MANUAL", [awaiting]],
      ["resourceType=VM&status=PENDING", [placed]],
      ["resourceType=VM&status=ACTIVE", []],
      [`clusterId=${clusterId}`, [placed]],
      [`clusterId=${clusterId}&resourceType=BACKUP`, []],
      ["clusterId=nowhere", []],
      ["clusterId=%C3%BC%27%22", []],
      [`tenantId=${customer.tenantId}`, [placed, awaiting, pending, active]],
      [`tenantId=${customer.tenantId}&status=ACTIVE&limit=1`, [active]],
    ];
    for (const [query, expected] of found) {
      const named = query.includes("tenantId=") ? query : `${query}&tenantId=${customer.tenantId}`;
      for (const answer of [await list(customer, `?${query}`), await list(admin, `?${named}`)]) {
        expect([query, idsOf(answer)]).toEqual([query, expected.map(({ id }) => id)]);
        expect(answer.body.meta.total).toBe(expected.length);
      }
    }
  });

  test("shows staff and services every tenant, and one of them when asked", async () => {
    const { person, ids } = await tenantWith(3);
    for (const reader of [admin, await house.staff("SALES"), await house.service(admin)]) {
      expect((await list(reader, "?limit=1")).body.meta.total).toBeGreaterThan(3);
      const theirs = await list(reader, `?tenantId=${person.tenantId}`);
      expect(idsOf(theirs).sort()).toEqual(ids.sort());
    }
    for (const more of ["", "&status=ACTIVE", "&clusterId=nowhere&resourceType=VM"])
      expectProblem(await list(person, `?tenantId=${admin.tenantId}${more}`), "tenant_mismatch");
  });

  const cursorOf = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString("base64url");
  const id = "01930b1c-7d5e-7a3b-8c21-4f9d6e0a1b2c";
  const moment = "2026-01-01T00:00:00.000Z";
  const wrong: [query: string, ...pointers: string[]][] = [
    ["status=LOST", "query/status"],
    ["status=active", "query/status"],
    ["status=ACTIVE,FAILED", "query/status"],
    ["resourceType=TOASTER", "query/resourceType"],
    ["sort=status", "query/sort"],
    ["sort=--createdAt", "query/sort"],
    ["limit=1e1", "query/limit"],
    ["limit=-1&offset=x", "query/limit", "query/offset"],
    [`clusterId=${"x".repeat(65)}`, "query/clusterId"],
    ["tenantId=", "query/tenantId"],
    ["cursor=", "query/cursor"],
    [`cursor=${cursorOf()}`, "query/cursor"],
    [`cursor=${cursorOf("createdAt", moment, id, 0)}`, "query/cursor"],
    [`cursor=${cursorOf("-status", "ACTIVE", id, 0)}`, "query/cursor"],
    [`cursor=${cursorOf("-createdAt", "yesterday", id, 0)}`, "query/cursor"],
    [`cursor=${cursorOf("-createdAt", moment, id, -1)}`, "query/cursor"],
    [`cursor=${cursorOf("-createdAt", moment, "ü'", 0)}`, "query/cursor"],
    [`cursor=${cursorOf("-createdAt", moment, { id }, 0)}`, "query/cursor"],
  ];
  for (const [query, ...pointers] of wrong)
    test(`refuses ?${query.slice(0, 60)}`, async () => {
      expectInvalid(await list(admin, `?${query}`), ...pointers);
    });
});

describe("GET /provisioning/requests/order/{orderId}", () => {
  test("answers what the order has led to, of the own tenant alone", async () => {
    const orderId = `order ${crypto.randomUUID()}/ü`;
    const [customer, other] = await Promise.all([house.signUp(), house.signUp()]);
    const cast = { house, customer, admin };
    const mine = [];
    for (const orderItemId of ["item-1", "item-2", "item-3"])
      mine.push(await bring(cast, { ...backup(customer.tenantId), orderId, orderItemId }));
    const theirs = await bring({ ...cast, customer: other }, { ...backup(other.tenantId), orderId });
    const path = `${requests}/order/${encodeURIComponent(orderId)}`;
    const itemsOf = async (person: Person) => idsOf(await person.call("GET", path)).sort();
    expect(await itemsOf(customer)).toEqual(mine.map(({ id }) => id).sort());
    expect(await itemsOf(other)).toEqual([theirs.id]);
    expect(await itemsOf(await house.signUp())).toEqual([]);
    expect(await itemsOf(admin)).toEqual([...mine, theirs].map(({ id }) => id).sort());
    expect((await customer.call("GET", `${requests}/order/${orderId.slice(0, -3)}`)).data).toEqual([]);
  });
});
