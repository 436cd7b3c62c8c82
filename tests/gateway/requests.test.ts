import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { endpoints } from "../endpoints.ts";
import { type House, openHouse, vm } from "../house.ts";
import { expectEnvelope, expectProblem } from "../http/answers.ts";
import { raw, requestText } from "./raw.ts";

let house: House;
let url: string;
beforeAll(async () => {
  house = await openHouse();
  url = house.program.url as string;
});
afterAll(() => house.close());

const target = "/api/health";
const get = (path: string, headers: Record<string, string>) => raw(url, requestText("GET", path, headers));

describe("a Host header", () => {
  for (const host of [
    "localhost",
    "api.example.com:8080",
    "127.0.0.1",
    "[::1]:8080",
    "web_1:80",
    "API.Example",
  ])
    test(`that names a host is taken: ${host}`, async () => {
      expectEnvelope(await get(target, { Host: host }));
    });

  const long = `${"a".repeat(260)}.example`;
  for (const host of [
    "",
    "a",
    "abc",
    "a/b",
    "a?b.example",
    "a#b.example",
    "user@example.com",
    "x y.example",
    long,
  ])
    test(`that does not is refused: ${host.slice(0, 20)}`, async () => {
      expectProblem(await get(target, { Host: host }), "bad_request", { instance: target });
    });

  for (const host of ["localhost:99999", "1.2.3.999", "a b", "[::::]", "[zz]:80"])
    test(`that makes no URL is refused, whatever the origin: ${host}`, async () => {
      const origin = { Host: host, Origin: "https://shop.example" };
      expectProblem(await get(target, origin), "bad_request");
      const preflight = { ...origin, "Access-Control-Request-Method": "GET" };
      expectProblem(await raw(url, requestText("OPTIONS", target, preflight)), "bad_request");
    });

  test("that comes twice is refused", async () => {
    const text = "GET /api/health HTTP/1.1\r\nHost: one.example\r\nHost: two.example\r\n\r\n";
    expectProblem(await raw(url, text), "bad_request");
  });

  test("does not lead elsewhere than the path does", async () => {
    const answer = await get("/nothing", { Host: "x/api/health" });
    expect(answer.status).toBe(400);
  });
});

describe("a path", () => {
  const host = { Host: "localhost" };
  for (const path of ["/api/%", "/api/%zz", "/api/%ff", "/api/%C3", "/api/health#part", "/api/%ED%A0%80"])
    test(`that means nothing is refused: ${path}`, async () => {
      expectProblem(await get(path, host), "bad_request");
    });

  for (const path of [
    "/api/%2e%2e%2fhealth",
    "/api//health",
    "//api/health",
    "/api/health%00",
    "/api/health%0d%0aX:1",
    "/API/health",
    "/api/%68ealth",
  ])
    test(`that leads nowhere is not found: ${path}`, async () => {
      expectProblem(await get(path, host), "not_found", { instance: path });
    });

  test("may end in a slash", async () => {
    expectEnvelope(await get("/api/health/", host));
  });

  test("of an absolute target is that target's", async () => {
    expectEnvelope(await get("http://elsewhere.example/api/health", host));
  });
});

describe("a method that a path does not take", () => {
  const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
  const paths = Map.groupBy(endpoints, ({ path }) => path);
  for (const [path, rows] of paths)
    test(`is refused with Allow, without a token: ${path}`, async () => {
      const taken = methods.filter((method) => rows.some((row) => row.method === method));
      const allow = taken.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
      const others = methods.filter((method) => !taken.includes(method));
      for (const prefix of ["/api/", "/api/v1/"]) {
        const there = path.replaceAll(/\{\w+\}/g, "some-id").replace("/api/", prefix);
        const answers = await Promise.all(others.map((method) => house.call(method, there)));
        for (const answer of answers) {
          expectProblem(answer, "method_not_allowed");
          expect(answer.headers.get("allow")).toBe(allow);
        }
      }
    });

  test("is refused also where nobody has heard of it", async () => {
    for (const method of ["TRACE", "PROPFIND", "OPTIONS"]) {
      const answer = await raw(url, requestText(method, target, { Host: "localhost" }));
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    }
  });
});

describe("the ids of a request", () => {
  const asked = (headers: Record<string, string>) => house.call("GET", target, undefined, headers);

  test("come back with the answer, errors too", async () => {
    const headers = { "X-Request-ID": "r-1", "X-Correlation-ID": "c-1" };
    for (const path of [target, "/api/nothing", "/api/provisioning/requests"]) {
      const answer = await house.call("GET", path, undefined, headers);
      expect(answer.headers.get("x-request-id")).toBe("r-1");
      expect(answer.headers.get("x-correlation-id")).toBe("c-1");
      expect(answer.body.meta.request_id).toBe("r-1");
    }
  });

  test("the correlation id starts as the request id", async () => {
    const given = await asked({ "X-Request-ID": "r-2" });
    expect(given.headers.get("x-correlation-id")).toBe("r-2");
    const made = await asked({});
    expect(made.headers.get("x-correlation-id")).toBe(made.headers.get("x-request-id"));
    const mangled = await asked({ "X-Request-ID": "r-3", "X-Correlation-ID": "not an id" });
    expect(mangled.headers.get("x-correlation-id")).toBe("r-3");
  });

  test("follow the work into the audit and the events", async () => {
    const admin = await house.admin();
    const headers = { "X-Request-ID": "order-7.request", "X-Correlation-ID": "order-7" };
    const path = "/api/provisioning/requests";
    const { data } = await admin.call("POST", path, vm(admin.tenantId), headers);
    await admin.call("POST", `${path}/${data.id}/start`, undefined, { "X-Correlation-ID": "order-7" });
    await house.until(admin, data.id, "ACTIVE");
    const audit = await admin.call("GET", `${path}/${data.id}/audit`);
    expect(audit.data.map(({ correlationId }: any) => correlationId)).toEqual(Array(6).fill("order-7"));
    expect(audit.data[0].requestId).toBe("order-7.request");
    const [told] = await house.events("provisioning.completed", data.id, 1);
    expect(told.correlationId).toBe("order-7");
  });
});
