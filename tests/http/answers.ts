import { expect } from "bun:test";
import { errorCodes } from "../../schema/errors.ts";
import type { Answer } from "../house.ts";

/* What every answer promises, whatever was asked. */

const gatewayHeaders = {
  "x-frame-options": "SAMEORIGIN",
  "x-content-type-options": "nosniff",
  "x-xss-protection": "1; mode=block",
  "strict-transport-security": "max-age=31536000; includeSubDomains",
  "referrer-policy": "strict-origin-when-cross-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=()",
};

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** The gateway's headers and the request's id, which every answer has. */
export function expectGatewayHeaders({ headers }: Answer): void {
  const found = Object.fromEntries(Object.keys(gatewayHeaders).map((name) => [name, headers.get(name)]));
  expect(found).toEqual(gatewayHeaders);
  expect(headers.get("content-security-policy")).toContain("'self'");
  expect(headers.get("x-request-id")).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
}

/** `data` and `meta`, and what `meta` tells of a list and beside it (`facets`). */
export function expectEnvelope(
  answer: Answer,
  { list = false, facets, cacheable }: { list?: boolean; facets?: boolean; cacheable?: boolean } = {},
): void {
  expectGatewayHeaders(answer);
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(answer.headers.get("cache-control")).toBe(cacheable ? "public, max-age=60" : "no-store");
  expect(Object.keys(answer.body).sort()).toEqual(["data", "meta"]);
  const paging = {
    total: expect.any(Number),
    page: expect.any(Number),
    per_page: expect.any(Number),
    has_more: expect.any(Boolean),
    next_cursor: answer.body.meta.has_more ? expect.any(String) : null,
  };
  expect(answer.body.meta).toEqual({
    request_id: answer.headers.get("x-request-id"),
    timestamp,
    ...(list ? paging : {}),
    ...(facets ? { facets: expect.any(Object) } : {}),
  });
  expect(Array.isArray(answer.data)).toBe(list);
}

/** RFC 9457, with every member and no other than those and `extra`. */
export function expectProblem(answer: Answer, code: keyof typeof errorCodes, extra: object = {}): void {
  expectGatewayHeaders(answer);
  const [status] = errorCodes[code];
  expect({ status: answer.status, ...answer.body }).toEqual({
    type: `urn:landfall:problem:${code}`,
    title: expect.stringMatching(/^[A-Z][^.]*$/),
    status,
    detail: expect.stringMatching(/^[A-Z].*\.$/),
    instance: expect.stringMatching(/^\/[^?]*$/),
    code,
    meta: { request_id: answer.headers.get("x-request-id"), timestamp },
    ...extra,
  });
  expect(answer.headers.get("content-type")).toBe("application/problem+json");
  expect(answer.headers.get("cache-control")).toBe("no-store");
}

/** The places that a 422 points at. */
export function expectInvalid(answer: Answer, ...pointers: string[]): void {
  const errors = expect.arrayContaining([]);
  expectProblem(answer, "validation_failed", { errors });
  const places = new Set(answer.body.errors.map(({ pointer }: any) => pointer));
  expect([...places].sort()).toEqual(pointers.sort());
  for (const error of answer.body.errors) {
    expect(error).toEqual({ pointer: expect.any(String), message: expect.stringMatching(/^[A-Z].*\.$/) });
  }
}
