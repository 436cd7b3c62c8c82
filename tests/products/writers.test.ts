import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { expectProblem } from "../http/answers.ts";
import { newSku } from "./products.endpoints.ts";
import { get, historyOf, make, newProduct, path, put, remove, versionTag } from "./products.ts";

/* Several who write at once, through two programs. */

let house: House;
let second: House;
let seller: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  second = await openHouse({ config: house.program.landfall.config, samples: false });
  seller = await house.staff("PRODUCT");
});
afterAll(async () => {
  await second.program.stop();
  await house.close();
});

const sixteen = Array.from({ length: 16 }, (_, i) => i);
/** The seller's call through one program or the other. */
const through = (i: number, ...[method, to, body, headers]: Parameters<Person["call"]>) =>
  (i % 2 ? second : house).call(method, to, body, { Authorization: `Bearer ${seller.token}`, ...headers });
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort();
const holdersOf = (sku: string) => house.rows("SELECT id FROM products WHERE sku = ?", [sku]);

describe("one sku", () => {
  test("goes to one of 16 who make a product with it", async () => {
    const sku = newSku();
    const answers = await Promise.all(sixteen.map((i) => through(i, "POST", path, newProduct({ sku }))));
    expect(statuses(answers)).toEqual([201, ...Array(15).fill(409)]);
    for (const answer of answers) if (answer.status !== 201) expectProblem(answer, "already_exists");
    expect(await holdersOf(sku)).toEqual([{ id: answers.find(({ status }) => status === 201)?.data.id }]);
  });

  test("goes to one of 16 products that would change to it; the others stay as they are", async () => {
    const made = await Promise.all(sixteen.map((i) => make(seller, { name: `Server ${i}` })));
    const sku = newSku();
    const answers = await Promise.all(
      made.map(({ id }, i) => through(i, "PUT", `${path}/${id}`, { sku, name: `Taker ${i}` })),
    );
    expect(statuses(answers)).toEqual([200, ...Array(15).fill(409)]);
    for (const [i, before] of made.entries()) {
      const answer = answers[i]!;
      expect((await get(seller, before.id)).data).toEqual(answer.status === 200 ? answer.data : before);
      expect((await historyOf(seller, before.id)).body.meta.total).toBe(answer.status === 200 ? 2 : 1);
    }
    expect(await holdersOf(sku)).toHaveLength(1);
  });

  test("of a product that is being deleted goes to one of those who make another, or to none yet", async () => {
    const { id, sku } = await make(seller);
    const [gone, ...answers] = await Promise.all([
      remove(seller, id),
      ...sixteen.map((i) => through(i, "POST", path, newProduct({ sku }))),
    ]);
    expect(gone.data).toEqual({ id, deleted: true });
    const made = answers.filter(({ status }) => status === 201);
    for (const answer of answers) if (answer.status !== 201) expectProblem(answer, "already_exists");
    expect(await holdersOf(sku)).toEqual(made.map(({ data }) => ({ id: data.id })));
    if (made.length === 0) await make(seller, { sku });
  });
});

describe("one version", () => {
  test("lets one of 16 writers through", async () => {
    const { id } = await make(seller);
    const answers = await Promise.all(
      sixteen.map((i) => through(i, "PUT", `${path}/${id}`, { name: `Server ${i}` }, versionTag(1))),
    );
    expect(statuses(answers)).toEqual([200, ...Array(15).fill(412)]);
    for (const answer of answers) if (answer.status !== 200) expectProblem(answer, "precondition_failed");
    const winner = answers.find(({ status }) => status === 200);
    expect((await get(seller, id)).data).toEqual(winner?.data);
  });

  test("is not needed: 16 writers of 16 fields lose nothing to each other", async () => {
    const { id } = await make(seller);
    const fields = {
      ...{ sku: newSku(), name: "Server", description: "New", category: "other", status: "active" },
      ...{ specs: { vcpu: "4" }, monthlyPrice: 1, hourlyPrice: 0.000123, unitPrice: 2, currency: "EUR" },
      ...{ annualDiscount: 5, tier: "basic", features: ["IPv6"], isPopular: true, sortOrder: 9 },
      ctaText: "Order",
    };
    const answers = await Promise.all(
      Object.entries(fields).map(([field, value], i) =>
        through(i, "PUT", `${path}/${id}`, { [field]: value }),
      ),
    );
    expect(answers.map(({ data }) => data.version).sort((a, b) => a - b)).toEqual(sixteen.map((i) => i + 2));
    expect((await get(seller, id)).data).toMatchObject({ ...fields, version: 17 });
    const { data: changes } = await historyOf(seller, id, "?sort=version&limit=100");
    expect(
      changes
        .slice(1)
        .flatMap((line: any) => Object.keys(line.changes))
        .sort(),
    ).toEqual(Object.keys(fields).sort());
  });

  test("is one for a writer and a deleter: either the change or the end", async () => {
    for (const i of sixteen.slice(0, 8)) {
      const { id } = await make(seller);
      const [changed, deleted] = await Promise.all([
        put(seller, id, { name: "Other" }, versionTag(1)),
        through(i, "DELETE", `${path}/${id}`, undefined, versionTag(1)),
      ]);
      const after = await get(seller, id);
      if (changed.status === 200) {
        expectProblem(deleted, "precondition_failed");
        expect(after.data).toEqual(changed.data);
      } else {
        expectProblem(changed, "not_found");
        expect([deleted.data, after.status]).toEqual([{ id, deleted: true }, 404]);
      }
    }
  });
});
