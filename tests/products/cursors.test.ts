import { afterAll, beforeAll, describe, test } from "bun:test";
import fc from "fast-check";
import { writeCursor } from "../../src/http/cursor.ts";
import { type House, openHouse, type Person } from "../house.ts";
import { expectInvalid } from "../http/answers.ts";
import { make, path } from "./products.ts";

let house: House;
let admin: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  admin = await house.admin();
  await Promise.all(Array.from({ length: 5 }, (_, i) => make(admin, { name: `Server ${i}` })));
});
afterAll(() => house.close());

const sorts = ["sortOrder", "name", "monthlyPrice", "createdAt"].flatMap((field) => [field, `-${field}`]);
const list = (person: Person, query: string) => person.call("GET", `${path}?${query}`);
const someId = "01930b1c-7d5e-7a3b-8c21-4f9d6e0a1b2c";

describe("a forged cursor", () => {
  /** Keys that a sort can't have, and such as it could. */
  const forged: Record<string, { wrong: unknown[]; odd: string[] }> = {
    sortOrder: {
      wrong: ["", "abc", "1.5", "1e3", " 1", "+1", "0x1", "-", "9".repeat(16), "NaN", 1, null, [1]],
      odd: ["-999999999999999", "999999999999999", "-0", "007"],
    },
    name: {
      wrong: [5, null, ["a"], { a: 1 }, true],
      odd: ["", "'; DROP TABLE products; --", "👩", "\0", "\\", "%", "\ud800", "x".repeat(5000), "\u0301"],
    },
    monthlyPrice: {
      wrong: ["", "x", "-1", "1e3", "1.0000001", "1234567890", ".5", "5.", "Infinity", "NaN", 5],
      odd: ["0", "999999999.999999", "000000001.10", "24.9"],
    },
    createdAt: {
      wrong: ["", "yesterday", "24:00", "NaN", "2026-13-01T00:00:00.000Z", 5, null],
      odd: [
        ...["1970", "2026-02-28", "9999-12-31T23:59:59.999Z", "0000-01-01T00:00:00.000Z"],
        ...["-000001-01-01T00:00:00.000Z", "+275760-09-13T00:00:00.000Z", "2026-01-01T00:00:00+14:00"],
      ],
    },
  };
  const asked = (sort: string, ...parts: unknown[]) =>
    list(admin, `sort=${sort}&cursor=${writeCursor(parts)}`);

  for (const sort of sorts)
    test(`of ${sort} is refused where its key can't be one, and never more than refused`, async () => {
      const { wrong, odd } = forged[sort.replace("-", "")]!;
      for (const key of wrong) expectInvalid(await asked(sort, sort, key, someId, 20), "query/cursor");
      for (const key of odd) {
        const answer = await asked(sort, sort, key, someId, 20);
        if (answer.status !== 200) expectInvalid(answer, "query/cursor");
      }
    });

  test("is refused where it is of another sort, or is none", async () => {
    for (const sort of sorts)
      for (const other of [...sorts, "version", "relevance", "", "__proto__", "toString"])
        if (other !== sort) expectInvalid(await asked(sort, other, "1", someId, 0), "query/cursor");
    const parts: unknown[][] = [
      ...[[], ["name"], ["name", "a", someId], ["name", "a", "x", 0]],
      ...[
        ["name", "a", someId, -1],
        ["name", "a", someId, 1.5],
        ["name", "a", someId, 1e300],
      ],
      ...[
        ["name", "a", someId.toUpperCase(), 0],
        ["name", "a", null, 0],
        ["name", "a", someId, "0"],
      ],
    ];
    for (const each of parts) expectInvalid(await asked("name", ...each), "query/cursor");
    for (const text of ["", "x", "%00", "W10", "bnVsbA", "e30", "x".repeat(4000), "%F0%9F%91%A9"])
      expectInvalid(await list(admin, `sort=name&cursor=${text}`), "query/cursor");
  });

  test("never breaks anything, whatever it is made of", async () => {
    const key = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      fc.double().map(String),
      fc.integer().map(String),
      fc.jsonValue(),
    );
    const skipped = fc.oneof(fc.nat(), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...sorts), key, skipped, async (sort, key, skipped) => {
        const answer = await asked(sort, sort, key, someId, skipped);
        if (answer.status !== 200) expectInvalid(answer, "query/cursor");
      }),
      { numRuns: 100 },
    );
  });
});
