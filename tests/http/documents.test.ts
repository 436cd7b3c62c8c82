import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { needsToken } from "../endpoint.ts";
import { endpoints } from "../endpoints.ts";
import { type House, openHouse } from "../house.ts";
import { expectEnvelope, expectGatewayHeaders, expectProblem } from "./answers.ts";

let house: House;
let document: any;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  document = (await house.call("GET", "/api/docs/json")).body;
});
afterAll(() => house.close());

const nameOf = (method: string, path: string) => `${method.toUpperCase()} ${path}`;
const operationOf = (method: string, path: string) => document.paths[path]?.[method.toLowerCase()];

describe("GET /api/docs/json", () => {
  test("tells of the operations of the table, and of no other", () => {
    const documented = Object.entries<object>(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => nameOf(method, path)),
    );
    expect(documented.sort()).toEqual(endpoints.map(({ method, path }) => nameOf(method, path)).sort());
  });

  for (const row of endpoints.filter(({ bare }) => !bare))
    test(`describes ${nameOf(row.method, row.path)}`, () => {
      const operation = operationOf(row.method, row.path);
      expect(operation.summary).toMatch(/^[A-Z].*[^.]$/);
      expect(operation.tags).toHaveLength(1);
      expect(operation.security).toEqual(needsToken(row) ? [{ bearer: [] }] : []);
      expect(Object.keys(operation.responses)).toContain(String(row.status));
      if (needsToken(row)) expect(Object.keys(operation.responses)).toContain("401");
      const inPath = (operation.parameters ?? []).filter((parameter: any) => parameter.in === "path");
      const named = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(inPath.map(({ name, required }: any) => [name, required])).toEqual(
        named.map((name) => [name, true]),
      );
      const sent = operation.requestBody?.content?.["application/json"]?.schema;
      expect(sent !== undefined).toBe(row.body !== undefined);
      const { data, meta } = operation.responses[row.status].content["application/json"].schema.properties;
      expect(data).toBeObject();
      expect("total" in meta.properties).toBe(row.list === true);
    });

  test("holds nothing of the programs that made it", () => {
    expect(JSON.stringify(document)).not.toMatch(/valibot|~standard|"async":/);
    for (const [, reference] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      expect(reference?.split("/").reduce((place, key) => place?.[key], document)).toBeObject();
    }
  });
});

describe("GET /api/docs", () => {
  test("is a page that needs nothing from elsewhere", async () => {
    const page = await house.call("GET", "/api/docs");
    expectGatewayHeaders(page);
    expect(page.headers.get("content-type")).toStartWith("text/html");
    const places = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, place]) => place);
    expect(places.length).toBeGreaterThan(2);
    for (const place of places) {
      const asset = await house.call("GET", place);
      expect([place, asset.status]).toEqual([place, 200]);
      expectGatewayHeaders(asset);
    }
    expectProblem(await house.call("GET", "/api/docs/assets/..%2fpackage.json"), "not_found");
  });
});

describe("GET /health", () => {
  test("is the gateway's own", async () => {
    const answer = await house.call("GET", "/health");
    expect(answer.status).toBe(200);
    expectEnvelope(answer);
  });
});

describe("a path that does not exist", () => {
  for (const path of ["/", "/nope", "/api", "/api/nope", "/api/v2/health", "/v1/health", "/api/identity"])
    test(`${path} is a problem`, async () => {
      expectProblem(await house.call("GET", path), "not_found", { instance: path });
    });
});

describe("X-Request-ID", () => {
  const given = (id: string) => house.call("GET", "/api/health", undefined, { "X-Request-ID": id });

  for (const id of ["a", "A-Z.a_z-0", "x".repeat(128)])
    test(`is taken: ${id.slice(0, 20)}`, async () => {
      const answer = await given(id);
      expect(answer.headers.get("x-request-id")).toBe(id);
      expect(answer.body.meta.request_id).toBe(id);
    });

  for (const id of ["", "x".repeat(129), "a b", "a;b", "ü", '"', "<script>"])
    test(`is made anew instead of ${JSON.stringify(id.slice(0, 20))}`, async () => {
      const answer = await given(id);
      expect(answer.headers.get("x-request-id")).not.toBe(id);
      expectEnvelope(answer);
    });

  test("is another for each request", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => house.call("GET", "/api/health")));
    expect(new Set(answers.map(({ body }) => body.meta.request_id)).size).toBe(20);
  });
});
