import { describe, expect, test } from "bun:test";
import { type Endpoint, type Grant, grants, needsToken, neverEchoed } from "../endpoint.ts";
import { endpoints } from "../endpoints.ts";
import type { Answer, Person } from "../house.ts";
import { expectProblem } from "./answers.ts";
import { openCallers, promised } from "./rows.ts";

const rows = openCallers();

for (const row of endpoints.filter(needsToken)) {
  describe(`${row.method} ${row.path}`, () => {
    test("asks for a token, and says how", async () => {
      // An id that nobody has: without a token it makes no difference.
      const target = "some-id";
      const none = await rows.call(row, null, { target });
      expectProblem(none, "unauthenticated");
      expect(none.headers.get("www-authenticate")).toBe("Bearer");
      for (const authorization of [
        "Bearer a.b.c",
        `Bearer ${rows.scene.admin.token}x`,
        `bearer ${neverEchoed}`,
      ]) {
        const broken = await rows.call(row, null, { target, headers: { Authorization: authorization } });
        expectProblem(broken, "unauthenticated");
        expect(broken.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
        expect(JSON.stringify(broken.body)).not.toContain(neverEchoed);
      }
      const basic = await rows.call(row, null, { target, headers: { Authorization: "Basic YTpi" } });
      expectProblem(basic, "unauthenticated");
    });

    test("lets in whom the permission table names, and nobody else", async () => {
      const names = Object.keys(rows.callers);
      const answers = await Promise.all(names.map((name) => rows.call(row, rows.callers[name] as Person)));
      const found = Object.fromEntries(names.map((name, i) => [name, answers[i]?.status]));
      expect(found).toEqual(Object.fromEntries(names.map((name) => [name, promised(row, name)])));
      for (const [i, name] of names.entries()) {
        const answer = answers[i] as Answer;
        if (answer.status === 403) expectProblem(answer, named(row, name) ? "tenant_mismatch" : "forbidden");
      }
    });

    if (row.foreign === "hidden")
      test("does not tell another tenant that a record is there", async () => {
        const foreign = rows.callers["foreign"] as Person;
        const theirs = await rows.call(
          row,
          rows.able(row) === rows.scene.customer ? foreign : rows.scene.admin,
          {
            target: "nope",
          },
        );
        const records = ["01930b1c-7d5e-7a3b-8c21-4f9d6e0a1b2c", "%C3%BC", "%00", "a".repeat(300)];
        const others = await Promise.all(
          records.map((target) => rows.call(row, rows.scene.admin, { target })),
        );
        const hidden = rows.able(row) === rows.scene.customer ? [await rows.call(row, foreign)] : [];
        for (const answer of [theirs, ...others, ...hidden]) {
          expectProblem(answer, "not_found");
          expect(answer.body.detail).toBe(theirs.body.detail);
        }
      });

    if (row.foreign === "empty")
      test("is empty for another tenant", async () => {
        expect((await rows.call(row, rows.callers["foreign"] as Person)).data).toEqual([]);
      });

    if (row.tenantIn)
      test("refuses another tenant's name", async () => {
        const foreign = rows.callers["foreign"] as Person;
        const { tenantId } = rows.scene.customer;
        const asked = {
          query: () => ({ query: `tenantId=${tenantId}` }),
          path: () => ({ target: tenantId }),
          body: async () => ({ body: await rows.bodyWith(row, "/tenantId", tenantId) }),
        };
        const naming = await asked[row.tenantIn as keyof typeof asked]();
        expectProblem(await rows.call(row, foreign, naming), "tenant_mismatch");
      });
  });
}

/** Whether a caller is refused because of the tenant that they name. */
const named = (row: Endpoint, caller: string) =>
  (row.tenantIn === "body" || row.tenantIn === "path") &&
  (grants[row.may as keyof typeof grants] as Grant).tenant === true &&
  caller !== "service";
