import { describe, expect, test } from "bun:test";
import { endpoints } from "../endpoints.ts";
import { expectEnvelope, expectGatewayHeaders } from "./answers.ts";
import { openCallers } from "./rows.ts";

const rows = openCallers();

for (const row of endpoints) {
  describe(`${row.method} ${row.path}`, () => {
    test("answers in the envelope, with the gateway's headers", async () => {
      const answer = await rows.call(row, rows.able(row));
      expect(answer.status).toBe(row.status);
      if (row.gives) expect(answer.headers.get("content-type")).toStartWith(row.gives);
      if (row.bare || row.gives) return expectGatewayHeaders(answer);
      expectEnvelope(answer, row);
      if (row.status === 201) expect(answer.headers.get("location")).toMatch(/^\/api\//);
      const { version } = answer.data;
      if (!row.cacheable)
        expect(answer.headers.get("etag")).toBe(version === undefined ? null : `"${version}"`);
    });

    if (row.status === 201)
      test("tells the same place behind a slash", async () => {
        const { headers, data } = await rows.call(row, rows.able(row), { slash: true });
        expect(headers.get("location")).not.toContain("//");
        if (data.id) expect(headers.get("location")).toEndWith(`/${data.id}`);
      });

    test("is served under /api/v1 too", async () => {
      const answer = await rows.call(row, rows.able(row), { alias: true });
      expect(answer.status).toBe(row.status);
    });

    if (row.method === "GET")
      test("answers HEAD like GET, without the body", async () => {
        const answer = await rows.call(row, rows.able(row), { method: "HEAD" });
        expect([answer.status, answer.body]).toEqual([row.status, ""]);
      });
  });
}
