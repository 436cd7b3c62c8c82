import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { expectInvalid } from "../http/answers.ts";
import { backup, bring, manual, requests, type Stage, stages } from "./stages.ts";

let house: House;
let admin: Person;
let customer: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
});
afterAll(() => house.close());

const cast = () => ({ house, customer, admin });
/** The body as text, with this name where it says NAME: in an object literal some names mean something else. */
const named = (body: object, name: string) => JSON.stringify(body).replaceAll("NAME", name);
const text = { NAME: "text" };

/** Every place where a client gives the members their names: the map's pointer, and a body with it. */
const maps: [pointer: string, command: string, from: Stage, body: object][] = [
  ["/output", "advance", "PROVISIONING", { output: text }],
  ["/output/credentials", "advance", "PROVISIONING", { output: { credentials: text } }],
  ["/credentials", "manual-complete", "AWAITING_MANUAL", { credentials: text }],
  ["/endpoints", "manual-complete", "AWAITING_MANUAL", { endpoints: text }],
];

for (const name of ["__proto__", "prototype", "constructor"])
  describe(`a member named ${name}`, () => {
    test("is refused in a new request, since it could not be kept", async () => {
      const { tenantId } = customer;
      const create = (body: object) => customer.call("POST", requests, named(body, name));
      expectInvalid(await create({ ...backup(tenantId), metadata: text }), `/metadata/${name}`);
      expectInvalid(await create({ ...manual(tenantId), specification: text }), `/specification/${name}`);
      expectInvalid(await create({ ...backup(tenantId), NAME: "text" }), `/${name}`);
    });

    for (const [pointer, command, from, body] of maps)
      test(`is refused in ${pointer} of ${command}`, async () => {
        const { id } = await stages[from](cast());
        const answer = await admin.call("POST", `${requests}/${id}/${command}`, named(body, name));
        expectInvalid(answer, `${pointer}/${name}`);
        expect(answer.body.errors[0].message).toBe("Is a reserved name.");
        expect((await customer.call("GET", `${requests}/${id}`)).data.status).toBe(from);
      });

    test("is kept deeper down", async () => {
      const metadata = { deep: [{ NAME: { NAME: "kept" } }] };
      const body = named({ ...backup(customer.tenantId), metadata }, name);
      const { data } = await customer.call("POST", requests, body);
      const read = await customer.call("GET", `${requests}/${data.id}`);
      expect(JSON.stringify(read.data.metadata)).toBe(`{"deep":[{"${name}":{"${name}":"kept"}}]}`);
    });
  });

test("other names that objects have by nature are kept", async () => {
  const metadata = { toString: "a", hasOwnProperty: 1, valueOf: null, length: 5 };
  const { id } = await bring(cast(), { ...backup(customer.tenantId), metadata });
  expect((await customer.call("GET", `${requests}/${id}`)).data.metadata).toEqual(metadata);
});
