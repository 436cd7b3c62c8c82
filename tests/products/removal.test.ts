import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { product } from "../../actors/products/product.ts";
import type { Command } from "../../actors/runtime/actor.ts";
import { type House, openHouse, type Person } from "../house.ts";
import { expectEnvelope, expectProblem } from "../http/answers.ts";
import {
  create,
  get,
  historyOf,
  idsOf,
  make,
  noteOrder,
  ordering,
  path,
  put,
  remove,
  versionTag,
} from "./products.ts";

let house: House;
let second: House;
let admin: Person;
let seller: Person;
let customer: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  second = await openHouse({ config: house.program.landfall.config, samples: false });
  [admin, seller, customer] = await Promise.all([house.admin(), house.staff("PRODUCT"), house.signUp()]);
});
afterAll(async () => {
  await second.program.stop();
  await house.close();
});

describe("DELETE /api/products/{id}", () => {
  test("takes the product away and gives its sku free", async () => {
    const { id, sku } = await make(seller, { status: "active", category: "going" });
    const answer = await remove(seller, id);
    expectEnvelope(answer);
    expect([answer.status, answer.data]).toEqual([200, { id, deleted: true }]);
    expect(idsOf(await admin.call("GET", `${path}?category=going`))).toEqual([]);
    for (const gone of [get(admin, id), historyOf(admin, id), put(admin, id, {}), remove(admin, id)])
      expectProblem(await gone, "not_found");
    expect((await make(seller, { sku })).id).not.toBe(id);
  });

  test("honours If-Match", async () => {
    const { id, ...made } = await make(seller);
    expectProblem(await remove(seller, id, versionTag(2)), "precondition_failed");
    expect((await get(seller, id)).data).toEqual({ id, ...made });
    expect((await remove(seller, id, versionTag(1))).data).toEqual({ id, deleted: true });
  });

  test("archives what an order names, once, and keeps its sku", async () => {
    const made = await make(seller, { status: "active" });
    const { id, sku } = made;
    await noteOrder(house, id);
    expect((await get(customer, id)).data).toEqual(made);
    expectProblem(await remove(seller, id, versionTag(2)), "precondition_failed");
    for (const _ of ["first", "again"])
      expect((await remove(seller, id)).data).toEqual({ id, deleted: false, archived: true });
    const { updatedAt, ...archived } = (await get(seller, id)).data;
    expect({ ...archived, updatedAt: null }).toEqual({
      ...{ ...made, status: "archived", version: 2, updatedAt: null },
    });
    expectProblem(await get(customer, id), "not_found");
    expectProblem(await create(seller, { sku }), "already_exists");
    const [change, creation] = (await historyOf(seller, id)).data;
    expect(change.changes).toEqual({ status: { from: "active", to: "archived" } });
    expect(creation.version).toBe(1);
    expect((await put(seller, id, { status: "active" })).data.version).toBe(3);
    expect((await remove(seller, id)).data.archived).toBe(true);
  });
});

describe("a delete and an order at once", () => {
  /** A refusal's code, or nothing. */
  const refusal = (sent: Promise<unknown>) =>
    sent.then(
      () => null,
      ({ code }) => code,
    );

  test("never leave an order without its product, over two programs", async () => {
    const names = Array.from({ length: 30 }, (_, i) => `Server ${i}`);
    const products = await Promise.all(names.map((name) => make(seller, { name, status: "active" })));
    const headers = { Authorization: `Bearer ${seller.token}` };
    await Promise.all(
      products.map(async ({ id }, i) => {
        const noted = refusal(noteOrder(house, id));
        const by = i % 2 ? house : second;
        const deleted = await by.call("DELETE", `${path}/${id}`, undefined, headers);
        expect(deleted.status).toBe(200);
        const answer = await get(admin, id);
        if (await noted) {
          expect([await noted, deleted.data]).toEqual(["not_found", { id, deleted: true }]);
          expectProblem(answer, "not_found");
        } else {
          expect(deleted.data).toEqual({ id, deleted: false, archived: true });
          expect(answer.data).toMatchObject({ status: "archived", version: 2 });
        }
      }),
    );
  });

  test("go by who came first, within a batch", async () => {
    const [kept, gone] = await Promise.all([make(seller), make(seller)]);
    const command = { input: {}, origin: ordering };
    const { mailbox } = house.program.landfall;
    const sent = [
      noteOrder(house, kept.id),
      mailbox.send(product.delete, { id: kept.id, ...command }),
      mailbox.send(product.delete, { id: gone.id, ...command }),
      noteOrder(house, gone.id),
    ];
    expect(await Promise.all(sent.map(refusal))).toEqual([null, null, null, "not_found"]);
    expect((await get(admin, kept.id)).data.status).toBe("archived");
    expectProblem(await get(admin, gone.id), "not_found");
  });

  test("an order of many products is refused whole where one of them is gone", async () => {
    const [there, gone] = await Promise.all([make(seller), make(seller)]);
    await remove(seller, gone.id);
    const orders = [there, gone].map(({ id }) => ({
      command: product["note-order"] as Command,
      ...{ id, input: {}, origin: ordering },
    }));
    expect(await refusal(house.program.landfall.mailbox.sendAll(orders))).toBe("not_found");
    expect((await remove(seller, there.id)).data).toEqual({ id: there.id, deleted: true });
  });

  test("of 16 deletes of one version, one is done", async () => {
    const { id } = await make(seller);
    const answers = await Promise.all(Array.from({ length: 16 }, () => remove(seller, id, versionTag(1))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(15).fill(404)]);
  });
});
