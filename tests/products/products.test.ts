import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { expectEnvelope, expectInvalid, expectProblem } from "../http/answers.ts";
import { newSku } from "./products.endpoints.ts";
import {
  create,
  defaults,
  full,
  get,
  historyOf,
  make,
  newProduct,
  path,
  put,
  remove,
  unknown,
  withApiKey,
} from "./products.ts";

let house: House;
let admin: Person;
let seller: Person;
let customer: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  [admin, seller, customer] = await Promise.all([house.admin(), house.staff("PRODUCT"), house.signUp()]);
});
afterAll(() => house.close());

describe("POST /api/products", () => {
  test("makes a draft with the defaults of what is not said", async () => {
    const body = newProduct();
    const answer = await create(seller, body);
    expectEnvelope(answer);
    expect([answer.status, answer.headers.get("etag")]).toEqual([201, '"1"']);
    expect(answer.headers.get("location")).toBe(`${path}/${answer.data.id}`);
    const { id, createdAt } = answer.data;
    expect(answer.data).toEqual({ ...body, ...defaults, id, version: 1, createdAt, updatedAt: createdAt });
    expect((await get(seller, id)).data).toEqual(answer.data);
  });

  test("keeps every field as it was given", async () => {
    const made = await make(seller, full);
    expect(made).toMatchObject(full);
    expect((await get(seller, made.id)).data).toEqual(made);
    const { data } = await seller.call("GET", `${path}?category=${full.category}`);
    expect(data).toContainEqual(made);
  });

  const extremes: [what: string, fields: object][] = [
    ["the smallest", { sku: `${newSku()}-._`, name: "0", category: "0", monthlyPrice: 0, sortOrder: -1e9 }],
    [
      "the largest",
      {
        ...{ sku: newSku().padEnd(64, "x"), name: "👩".repeat(200), category: `a${"-b".repeat(31)}` },
        ...{ description: "👩".repeat(10_000), ctaText: "ü".repeat(100), ctaAction: "x".repeat(1000) },
        specs: Object.fromEntries(
          Array.from({ length: 100 }, (_, i) => [`${i}`.padEnd(100, "ü"), "ü".repeat(1000)]),
        ),
        features: Array(100).fill("ü".repeat(200)),
        ...{ monthlyPrice: 999999999.99, hourlyPrice: 999999999.999999, annualDiscount: 100, sortOrder: 1e9 },
      },
    ],
  ];
  for (const [what, fields] of extremes)
    test(`takes ${what} of each field`, async () => {
      const made = await make(seller, fields);
      expect(made).toMatchObject(fields);
      expect((await get(seller, made.id)).data).toEqual(made);
    });

  test("takes null, and text without a character, for what can be missing", async () => {
    const missing = { hourlyPrice: null, unitPrice: null, tier: null };
    for (const nothing of [null, ""]) {
      const texts = { description: nothing, ctaText: nothing, ctaAction: nothing };
      expect(await make(seller, { ...missing, ...texts })).toMatchObject(defaults);
    }
  });

  test("points at every fault at once", async () => {
    const wrong = { sku: "a b", monthlyPrice: 0.001, specs: { vcpu: 4 }, features: ["ok", ""], price: 1 };
    expectInvalid(
      await create(seller, wrong),
      ...["/sku", "/monthlyPrice", "/specs/vcpu", "/features/1", "/price"],
    );
  });

  test.each([0, 7, 27, 127, 133])("takes no control character of the code %d", async (code) => {
    const sign = String.fromCharCode(code);
    const texts = { name: sign, description: sign, ctaText: sign, ctaAction: sign };
    const wrong = { ...texts, specs: { vcpu: sign, [`a${sign}`]: "4" }, features: [sign] };
    const { errors } = (await create(seller, wrong)).body;
    const places = errors.map(({ pointer }: any) => pointer);
    const all = [...Object.keys(texts), "specs/vcpu", `specs/a${sign}`, "features/0"].map((p) => `/${p}`);
    expect(places.sort()).toEqual(all.sort());
  });

  test.each(["__proto__", "constructor", "prototype"])("takes no %s for the name of a spec", async (name) => {
    expectInvalid(await create(seller, { specs: { vcpu: "4", [name]: "x" } }), `/specs/${name}`);
  });

  test("takes a sku once, and the same letters in another case again", async () => {
    const { sku } = await make(seller, { sku: `${newSku()}-a` });
    expectProblem(await create(admin, { sku }), "already_exists");
    for (const other of [sku.toUpperCase(), sku.slice(0, -1), `${sku}.`])
      expect((await create(seller, { sku: other })).status).toBe(201);
  });

  test("makes one product of the same Idempotency-Key, and stores no refusal", async () => {
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const [taken, body] = [await make(seller), newProduct()];
    expectProblem(await create(seller, { ...body, sku: taken.sku }, headers), "already_exists");
    const first = await create(seller, body, headers);
    expect([first.status, first.headers.get("idempotency-replayed")]).toEqual([201, null]);
    await put(seller, first.data.id, { name: "Renamed since" });
    const again = await create(seller, body, headers);
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
    expect(again.data).toEqual(first.data);
    expectProblem(await create(seller, newProduct(), headers), "idempotency_mismatch");
  });
});

describe("GET /api/products/{id}", () => {
  test("shows customers what is active; of the rest they do not learn that it is there", async () => {
    const keys = [
      await withApiKey(house, customer),
      await withApiKey(house, admin),
      await withApiKey(house, seller, "products:read"),
    ];
    const staff = [admin, seller, await house.staff("FINANCE"), await house.service(admin)];
    const { id } = await make(seller);
    for (const status of ["draft", "active", "paused", "archived"]) {
      const { data } = await put(seller, id, { status });
      for (const person of staff) expect((await get(person, id)).data).toEqual(data);
      for (const person of [customer, ...keys]) {
        const [answer, none] = [await get(person, id), await get(person, unknown)];
        if (status === "active") expect(answer.data).toEqual(data);
        else {
          expectProblem(answer, "not_found");
          expect(answer.body.detail).toBe(none.body.detail);
        }
      }
    }
  });

  const ids = [
    ...[unknown, "1", "null", "ü", "%00", "'", "%25", "a%2Fb", "search%20", "x".repeat(3000), "{id}"],
    ...[unknown.toUpperCase(), `${unknown}%20`, `${unknown}0`, "👩", "..%2F..", "0 OR 1=1"],
  ];
  for (const id of ids)
    test(`finds no product ${id.slice(0, 40)}, to read, change, delete or tell of`, async () => {
      const answers = [get(admin, id), get(customer, id), historyOf(admin, id)];
      answers.push(put(admin, id, { name: "Other" }), remove(admin, id));
      for (const answer of await Promise.all(answers)) expectProblem(answer, "not_found");
    });
});

describe("an API key", () => {
  test("with the scope products:read reads, and neither writes nor sees the history", async () => {
    const { id } = await make(seller, { status: "active" });
    const key = await withApiKey(house, admin, "products:read");
    expect((await get(key, id)).status).toBe(200);
    expect((await key.call("GET", path)).status).toBe(200);
    const refused = [create(key), put(key, id, {}), remove(key, id), historyOf(key, id)];
    for (const answer of await Promise.all(refused)) expectProblem(answer, "forbidden");
  });

  test("without the scope sees nothing, and one that may write has no role to do so", async () => {
    const { id } = await make(seller, { status: "active" });
    for (const scopes of [["orders:read"], ["products:write"]]) {
      const key = await withApiKey(house, admin, ...scopes);
      for (const answer of [get(key, id), key.call("GET", path), create(key), remove(key, id)])
        expectProblem(await answer, "forbidden");
    }
  });
});
