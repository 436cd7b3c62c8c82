import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Grant, grants, needsToken } from "../endpoint.ts";
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
/** What a reference points at, or the thing itself. */
const found = (part: any) =>
  typeof part.$ref === "string"
    ? part.$ref
        .split("/")
        .slice(1)
        .reduce((place: any, key: string) => place[key], document)
    : part;

/** Each value in the examples below a part of the document, with its place. */
function examplesIn(part: unknown, place = "", inExample = false): [place: string, value: unknown][] {
  if (typeof part !== "object" || part === null) return inExample ? [[place, part]] : [];
  return Object.entries(part).flatMap(([key, value]) =>
    examplesIn(value, `${place}/${key}`, inExample || key === "example"),
  );
}

describe("GET /api/docs/json", () => {
  test("tells of the operations of the table, and of no other", () => {
    const documented = Object.entries<object>(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => nameOf(method, path)),
    );
    expect(documented.sort()).toEqual(endpoints.map(({ method, path }) => nameOf(method, path)).sort());
  });

  for (const row of endpoints)
    describe(nameOf(row.method, row.path), () => {
      const told = () => operationOf(row.method, row.path);
      const statuses = () => Object.keys(told().responses).map(Number);

      test("has a name, a summary, a description and a tag that is described", () => {
        const { operationId, summary, description, tags } = told();
        expect(operationId).toMatch(/^[a-z][A-Za-z]+$/);
        expect(summary).toMatch(/^[A-Z].*[^.]$/);
        expect(description).toMatch(/^[A-Z0-9*].*\.$/s);
        expect(tags).toHaveLength(1);
        expect(document.tags.map(({ name }: any) => name)).toContain(tags[0]);
      });

      test("says who may call it, and with what", () => {
        const { security, description, responses } = told();
        if (needsToken(row)) {
          const grant: Grant = grants[row.may as keyof typeof grants];
          expect(security).toEqual([{ bearer: [] }, ...(grant.tenant ? [{ apiKey: [] }] : [])]);
          expect(description).toContain("**Who may:**");
          expect(responses).toContainKeys(["401", "403"]);
        } else expect(security).toEqual(row.headers ? [{ apiKey: [] }] : []);
      });

      test("describes its parameters, each with an example", () => {
        const parameters = told().parameters.map(found);
        for (const parameter of parameters) {
          expect(parameter).toEqual({
            in: expect.stringMatching(/^(path|query|header)$/),
            name: expect.any(String),
            description: expect.stringMatching(/\.$/),
            schema: expect.any(Object),
            example: expect.anything(),
            ...(parameter.in === "header" ? {} : { required: expect.any(Boolean) }),
          });
        }
        const namesIn = (place: string) =>
          parameters.filter((parameter: any) => parameter.in === place).map(({ name }: any) => name);
        expect(namesIn("path")).toEqual([...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
        if (row.list && !row.whole)
          expect(namesIn("query")).toEqual(expect.arrayContaining(["limit", "cursor", "sort"]));
        expect(namesIn("header").includes("Idempotency-Key")).toBe(row.method === "POST" && needsToken(row));
        expect(namesIn("header").includes("If-Match")).toBe(statuses().includes(412));
      });

      test("describes its body, with an example", () => {
        const { requestBody } = told();
        expect(requestBody !== undefined).toBe((row.body ?? row.text) !== undefined);
        if (!requestBody) return;
        if (row.text) return expect(requestBody.content[row.text[0]].example).toBeString();
        expect(requestBody.required).toBe(!row.bodyOptional);
        const { schema, example } = requestBody.content["application/json"];
        expect(schema.$ref).toStartWith("#/components/schemas/");
        expect(example).toBeObject();
      });

      test("describes its answer, with an example", () => {
        const { content, headers } = told().responses[row.status];
        expect(headers).toContainKey("X-Request-ID");
        if (row.gives) return expect(content[row.gives].example).toBeString();
        const { schema, example } = content["application/json"];
        expect("Location" in headers).toBe(row.status === 201);
        expect(found(headers["X-Request-ID"]).description).toBeString();
        if (row.bare) return expect(example).toBeObject();
        const { data, meta } = schema.properties;
        expect(data.$ref ?? data.items.$ref).toStartWith("#/components/schemas/");
        if (row.facets) expect(meta.properties.facets.$ref).toEndWith("/Facets");
        else expect(meta.$ref).toEndWith(row.list ? "/ListMeta" : "/Meta");
        expect(Object.keys(example)).toEqual(["data", "meta"]);
        const record = row.list ? example.data[0] : example.data;
        expect("ETag" in headers).toBe(row.cacheable ?? (!row.list && "version" in record));
      });

      test("names every status that it can be refused with, and how that looks", () => {
        const sent = row.method === "GET" ? [] : [413, 415];
        const always = [400, 422, 500, 503, ...sent];
        const token = needsToken(row) ? [401, 403] : [];
        const record = row.path.includes("{id}") ? [404] : [];
        const once = row.method === "POST" && needsToken(row) ? [409] : [];
        const counted = row.path.endsWith("/health") || row.path.endsWith("/ready") ? [] : [429];
        expect(statuses()).toEqual(
          expect.arrayContaining([...always, ...token, ...record, ...once, ...counted]),
        );
        for (const status of statuses().filter((status) => status >= 400)) {
          const refusal = found(told().responses[status]);
          const { schema, examples } = refusal.content["application/problem+json"];
          expect(schema).toEqual({ $ref: "#/components/schemas/Problem" });
          for (const [code, { value }] of Object.entries<any>(examples)) {
            expect(refusal.description).toContain(`\`${code}\``);
            expect([value.code, value.status]).toEqual([code, status]);
          }
          if (status === 401) expect(refusal.headers).toContainKey("WWW-Authenticate");
          if (status === 429 || status === 503) expect(refusal.headers).toContainKey("Retry-After");
        }
      });
    });

  test("has an example of its own for each text", () => {
    const unsaid = examplesIn(document).filter(([, value]) => value === "text");
    expect(unsaid.map(([place]) => place)).toEqual([]);
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
    for (const name of ["..%2fpackage.json", "constructor", "__proto__", "toString", "index.js"])
      expectProblem(await house.call("GET", `/api/docs/assets/${name}`), "not_found");
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
