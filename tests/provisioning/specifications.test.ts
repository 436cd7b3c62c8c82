import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { resourceTypes } from "../../schema/provisioning/specification.ts";
import { withValue } from "../endpoint.ts";
import { type House, openHouse, type Person } from "../house.ts";
import { expectInvalid } from "../http/answers.ts";
import { shapes } from "./specifications.ts";
import { backup, requests } from "./stages.ts";

let house: House;
let customer: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  customer = await house.signUp();
});
afterAll(() => house.close());

const create = (resourceType: string, specification: unknown) =>
  customer.call("POST", requests, { ...backup(customer.tenantId), resourceType, specification });

const wordsOf = (value: unknown) => (value === undefined ? "nothing" : JSON.stringify(value).slice(0, 40));

test("every resource type has its shape here", () => {
  expect(Object.keys(shapes).sort()).toEqual([...resourceTypes].sort());
});

for (const [type, { whole, optional, taken = [], refused, below = [] }] of Object.entries(shapes)) {
  describe(`the specification of a ${type}`, () => {
    test("is kept as it was sent, with what may be left out and without", async () => {
      const least = Object.fromEntries(Object.entries(whole).filter(([field]) => !optional.includes(field)));
      for (const specification of [whole, least]) {
        const answer = await create(type, specification);
        expect([answer.status, answer.data?.specification]).toEqual([201, specification]);
      }
    });

    const required = Object.keys(whole).filter((field) => !optional.includes(field));
    test(`needs ${required.join(", ") || "nothing"}`, async () => {
      for (const field of required)
        expectInvalid(
          await create(type, withValue(whole, `/${field}`, undefined)),
          `/specification/${field}`,
        );
      if (required.length > 0)
        expectInvalid(await create(type, {}), ...required.map((field) => `/specification/${field}`));
    });

    if (type !== "MANUAL")
      test("has no other field", async () => {
        expectInvalid(await create(type, { ...whole, colour: "blue" }), "/specification/colour");
      });

    test("is an object", async () => {
      for (const odd of [null, "text", 5, [], [whole]]) {
        const answer = await create(type, odd);
        expect([answer.status, answer.body.errors?.[0].pointer]).toEqual([
          422,
          expect.stringMatching(/^\/specification/),
        ]);
      }
    });

    for (const [field, ...values] of taken)
      for (const value of values)
        test(`takes ${field} ${wordsOf(value)}`, async () => {
          expect((await create(type, { ...whole, [field]: value })).status).toBe(201);
        });

    for (const [field, ...values] of refused)
      for (const value of values)
        test(`refuses ${field} ${wordsOf(value)}`, async () => {
          expectInvalid(await create(type, { ...whole, [field]: value }), `/specification/${field}`);
        });

    for (const [pointer, value, pointers = [pointer]] of below)
      test(`refuses ${wordsOf(value)} at ${pointer}`, async () => {
        const answer = await create(type, withValue(whole, pointer, value));
        expectInvalid(answer, ...pointers.map((each) => `/specification${each}`));
      });
  });
}
