import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeCursor } from "../../src/http/cursor.ts";
import { type House, openHouse, type Person } from "../house.ts";
import { expectEnvelope, expectInvalid, expectProblem } from "../http/answers.ts";
import {
  create,
  defaults,
  get,
  historyOf,
  make,
  newProduct,
  noteOrder,
  put,
  remove,
  versionTag,
  withApiKey,
} from "./products.ts";

let house: House;
let admin: Person;
let seller: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  [admin, seller] = await Promise.all([house.admin(), house.staff("PRODUCT")]);
});
afterAll(() => house.close());

const change = (from: unknown, to: unknown) => ({ from, to });

/** What is told of a product that was made with these fields: from nothing to each that it has. */
const creationOf = (fields: object) =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([field, to]) => (to === null ? [] : [[field, change(null, to)]])),
  );

describe("GET /api/products/{id}/history", () => {
  test("tells who made the product, when, and all that it had", async () => {
    const body = newProduct({ hourlyPrice: 0.000123, specs: { vcpu: "4" } });
    const { data: made } = await create(seller, body);
    const answer = await historyOf(admin, made.id);
    expectEnvelope(answer, { list: true });
    expect(answer.body.meta).toMatchObject({ total: 1, page: 1, per_page: 20, has_more: false });
    expect(answer.data).toEqual([
      {
        at: made.createdAt,
        actor: { id: seller.id, kind: "user" },
        changes: creationOf({ ...defaults, ...body }),
        version: 1,
      },
    ]);
  });

  /** A change of each field, and what is told of it. */
  const changes: [body: Record<string, unknown>, from: Record<string, unknown>][] = [
    [{ monthlyPrice: 22.9 }, { monthlyPrice: 24.9 }],
    [{ hourlyPrice: 0.000124 }, { hourlyPrice: 0.000123 }],
    [{ hourlyPrice: null }, { hourlyPrice: 0.000124 }],
    [{ unitPrice: 0 }, { unitPrice: null }],
    [{ annualDiscount: 12.5 }, { annualDiscount: 0 }],
    [
      { name: `Größer <b> \\ " ' %`, description: "x" },
      { name: "Standard VM 4", description: null },
    ],
    [{ specs: { disk: "80 GB" } }, { specs: { vcpu: "4" } }],
    [{ features: ["a", "b"] }, { features: [] }],
    [{ features: ["b", "a"] }, { features: ["a", "b"] }],
    [
      { tier: "premium", isPopular: true, sortOrder: -3 },
      { tier: null, isPopular: false, sortOrder: 0 },
    ],
    [
      { status: "active", category: "gpu" },
      { status: "draft", category: "compute" },
    ],
    [
      { currency: "EUR", ctaText: "Buy", ctaAction: "/buy" },
      { currency: "USD", ctaText: null, ctaAction: null },
    ],
    [
      { tier: null, description: "" },
      { tier: "premium", description: "x" },
    ],
  ];

  test("tells each change with what was and what is, the latest first", async () => {
    const { id, sku } = await make(seller, { hourlyPrice: 0.000123, specs: { vcpu: "4" } });
    const told: any[] = [];
    for (const [i, [body, from]] of changes.entries()) {
      const by = i % 2 ? admin : seller;
      // What stays the same is no change, even where it was sent.
      const { data } = await put(by, id, { ...body, sku });
      const expected = Object.keys(body).map((field) => [field, change(from[field], data[field])]);
      told.unshift({
        at: data.updatedAt,
        actor: { id: by.id, kind: "user" },
        changes: Object.fromEntries(expected),
        version: i + 2,
      });
    }
    const { data } = await historyOf(admin, id, "?limit=100");
    expect(data.slice(0, -1)).toEqual(told);
    expect(data).toHaveLength(told.length + 1);
  });

  test("adds up to the product", async () => {
    const { id } = await make(seller, { hourlyPrice: 0.000123, specs: { vcpu: "4" } });
    for (const [body] of changes) await put(seller, id, body);
    const { data } = await historyOf(admin, id, "?sort=version&limit=100");
    const missing = { hourlyPrice: null, unitPrice: null, tier: null, description: null, ctaText: null };
    const added: Record<string, unknown> = { ...missing, ctaAction: null };
    for (const line of data)
      for (const [field, { from, to }] of Object.entries<any>(line.changes)) {
        if (line.version > 1) expect([field, from]).toEqual([field, added[field]]);
        added[field] = to;
      }
    const { id: _, version, createdAt, updatedAt, ...fields } = (await get(admin, id)).data;
    expect(added).toEqual(fields);
    expect([data[0].at, data.at(-1).at, data.at(-1).version]).toEqual([createdAt, updatedAt, version]);
  });

  test("tells nothing of what changed nothing, or was refused", async () => {
    const [{ id, version: _, createdAt, updatedAt, ...same }, other] = [
      await make(seller),
      await make(seller),
    ];
    await put(seller, id, {});
    await put(seller, id, { ...same, id: undefined });
    await noteOrder(house, id);
    expectProblem(await put(seller, id, { name: "Late" }, versionTag(2)), "precondition_failed");
    expectProblem(await put(seller, id, { name: "Taken", sku: other.sku }), "already_exists");
    expectInvalid(await put(seller, id, { name: "Wrong", monthlyPrice: 0.001 }), "/monthlyPrice");
    expectProblem(await put(await house.staff("SALES"), id, { name: "Not mine" }), "forbidden");
    expect((await historyOf(admin, id)).body.meta.total).toBe(1);
    await remove(seller, id);
    await remove(seller, id);
    const { data } = await historyOf(admin, id);
    expect(data.map(({ version, changes }: any) => [version, changes])).toEqual([
      [2, { status: change("draft", "archived") }],
      [1, creationOf(same)],
    ]);
  });

  for (const sort of ["-version", "version"])
    test(`pages by ${sort}, each change once while others come`, async () => {
      const { id } = await make(seller);
      for (let i = 0; i < 11; i++) await put(seller, id, { sortOrder: i + 1 });
      const all = Array.from({ length: 12 }, (_, i) => i + 1);
      const expected = sort === "version" ? all : all.toReversed();
      const page = async (query: string) => {
        const { data, body } = await historyOf(admin, id, `?limit=5&sort=${sort}${query}`);
        return { versions: data.map(({ version }: any) => version), meta: body.meta };
      };
      for (const part of ["&offset=5", "&page=2"]) {
        const { versions, meta } = await page(part);
        expect(versions).toEqual(expected.slice(5, 10));
        expect(meta).toMatchObject({ total: 12, page: 2, has_more: true });
      }
      const first = await page("");
      await put(seller, id, { sortOrder: 99 });
      const second = await page(`&cursor=${first.meta.next_cursor}`);
      const third = await page(`&cursor=${second.meta.next_cursor}`);
      const met = [first, second, third].flatMap(({ versions }) => versions);
      // What comes meanwhile is behind a walk downwards, and at the end of one upwards.
      expect(met).toEqual(sort === "version" ? [...expected, 13] : expected);
      expect(third.meta).toMatchObject({ total: 13, page: 3, has_more: false, next_cursor: null });
    });

  test("is for staff and services", async () => {
    const { id } = await make(seller, { status: "active" });
    const readers = [seller, await house.staff("FINANCE"), await house.service(admin)];
    for (const reader of readers) expect((await historyOf(reader, id)).data).toHaveLength(1);
    const customer = await house.signUp();
    for (const person of [customer, await withApiKey(house, customer), await withApiKey(house, admin)])
      for (const each of [id, crypto.randomUUID()]) expectProblem(await historyOf(person, each), "forbidden");
    expectProblem(await historyOf(admin, crypto.randomUUID()), "not_found");
  });

  const cursorOf = (...parts: unknown[]) => `cursor=${writeCursor(parts)}`;
  const line = "01930b1c-7d5e-7a3b-8c21-4f9d6e0a1b2c";
  const wrong: [query: string, pointer: string][] = [
    ["sort=at", "query/sort"],
    ["sort=-createdAt", "query/sort"],
    ["limit=0", "query/limit"],
    ["status=active", "query/status"],
    ["field=monthlyPrice", "query/field"],
    ...["abc", "1.5", "", "9".repeat(16), null, 1].map((key): [string, string] => [
      cursorOf("-version", key, line, 0),
      "query/cursor",
    ]),
    [cursorOf("version", "1", line, 0), "query/cursor"],
    [cursorOf("-version", "1", "x", 0), "query/cursor"],
  ];
  for (const [query, pointer] of wrong)
    test(`refuses ?${query.slice(0, 60)}`, async () => {
      const { id } = await make(seller);
      expectInvalid(await historyOf(admin, id, `?${query}`), pointer);
    });

  test("takes any whole number for a version that a page ends with", async () => {
    const { id } = await make(seller);
    for (const [key, found] of [
      ["-1", 0],
      ["0", 0],
      ["1", 0],
      ["2", 1],
      ["999999999999999", 1],
    ] as const) {
      const answer = await historyOf(
        admin,
        id,
        `?${cursorOf("-version", key, "0".repeat(8) + line.slice(8), 0)}`,
      );
      expect([key, answer.data.length]).toEqual([key, found]);
    }
  });
});
