import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { endpoints } from "../endpoints.ts";
import { type House, openHouse, type Person } from "../house.ts";
import { expectProblem } from "./answers.ts";

/* A path that is written out, such as /products/search, beside one that takes an id in its place. */

let house: House;
let admin: Person;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  admin = await house.admin();
});
afterAll(() => house.close());

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/** Whether a path with a parameter would take this one. */
const fits = (pattern: string, path: string) =>
  pattern !== path && new RegExp(`^${pattern.replace(/\{\w+\}/g, "[^/]+")}$`).test(path);
const written = [...new Set(endpoints.map(({ path }) => path))].filter(
  (path) => !path.includes("{") && endpoints.some((other) => fits(other.path, path)),
);

describe("a path that is written out", () => {
  test("stands beside one with an id", () => {
    const names = ["search", "import", "export"].map((name) => `/api/products/${name}`);
    expect(written).toEqual(expect.arrayContaining(names));
  });

  for (const path of written)
    test(`${path} is never taken for an id`, async () => {
      const own = endpoints.filter((row) => row.path === path).map(({ method }) => method as string);
      const allowed = methods.filter((method) => own.includes(method));
      const allow = allowed.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
      for (const place of [path, `${path}/`, path.replace("/api/", "/api/v1/")])
        for (const method of methods.filter((each) => !own.includes(each)))
          for (const call of [admin.call, house.call]) {
            const answer = await call(method, place);
            expectProblem(answer, "method_not_allowed");
            expect(answer.headers.get("allow")).toBe(allow);
          }
    });

  for (const path of written)
    test(`${path} is a name in its own letters alone`, async () => {
      const last = path.slice(path.lastIndexOf("/") + 1);
      const others = [
        last.toUpperCase(),
        `${last}%20`,
        `${last}.json`,
        `%${last.charCodeAt(0).toString(16)}${last.slice(1)}x`,
      ];
      for (const other of others) {
        const answer = await admin.call("GET", path.replace(/[^/]+$/, other));
        const readable = endpoints.some((row) => row.method === "GET" && fits(row.path, path));
        expectProblem(answer, readable ? "not_found" : "method_not_allowed");
      }
    });
});
