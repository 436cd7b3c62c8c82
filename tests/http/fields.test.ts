import { describe, expect, test } from "bun:test";
import { neverEchoed } from "../endpoint.ts";
import { endpoints } from "../endpoints.ts";
import { expectInvalid, expectProblem } from "./answers.ts";
import { openCallers } from "./rows.ts";

const rows = openCallers();

for (const row of endpoints.filter(({ body }) => body)) {
  describe(`${row.method} ${row.path}`, () => {
    test("reads JSON alone", async () => {
      const [person, target] = [rows.able(row), await row.target?.(rows.scene)];
      const send = (body: string, type: string) =>
        rows.call(row, person, { target, body, headers: { "Content-Type": type } });
      const types = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"];
      const typed = await Promise.all(types.map((type) => send(JSON.stringify({}), type)));
      for (const answer of typed) expectProblem(answer, "unsupported_media_type");
      for (const text of ["{", `{"${neverEchoed}"}`, "'x'", "{}}"]) {
        const answer = await send(text, "application/json");
        expectProblem(answer, "malformed_json");
        expect(JSON.stringify(answer.body)).not.toContain(neverEchoed);
      }
    });

    test("takes the media type in any case and with a charset", async () => {
      const body = JSON.stringify(await row.body?.(rows.scene));
      const answer = await rows.call(row, rows.able(row), {
        body,
        headers: { "Content-Type": "Application/JSON; Charset=UTF-8" },
      });
      expect(answer.status).toBe(row.status);
    });

    test(row.bodyOptional ? "can do without its body" : "needs its body", async () => {
      const answer = await rows.call(row, rows.able(row), { body: undefined });
      if (row.bodyOptional) expect(answer.status).toBe(row.status);
      else expect([answer.status, answer.body.code]).toEqual([422, "validation_failed"]);
    });

    test("wants an object", async () => {
      const [person, target] = [rows.able(row), await row.target?.(rows.scene)];
      for (const body of ["[]", '"text"', "5", "true", `["${neverEchoed}"]`]) {
        const answer = await rows.call(row, person, { target, body });
        expect([answer.status, answer.body.code]).toEqual([422, "validation_failed"]);
        expect(JSON.stringify(answer.body)).not.toContain(neverEchoed);
      }
    });

    test("refuses a field that it does not know, by name", async () => {
      const [person, target] = [rows.able(row), await row.target?.(rows.scene)];
      const answer = await rows.call(row, person, {
        target,
        body: await rows.bodyWith(row, "/colour", neverEchoed),
      });
      expectInvalid(answer, "/colour");
      expect(JSON.stringify(answer.body)).not.toContain(neverEchoed);
      const pointed = await rows.call(row, person, { target, body: await rows.bodyWith(row, "/a~b", 1) });
      expectInvalid(pointed, "/a~0b");
    });

    for (const field of row.owned ?? [])
      test(`does not let ${field} be set`, async () => {
        const target = row.target ? "some-id" : undefined;
        expectInvalid(
          await rows.call(row, rows.able(row), { target, body: await rows.bodyWith(row, `/${field}`, 1) }),
          `/${field}`,
        );
      });

    for (const [pointer, value] of row.wrong ?? [])
      test(`refuses ${value === undefined ? "no" : JSON.stringify(value).slice(0, 30)} at ${pointer}`, async () => {
        const target = row.target ? "some-id" : undefined;
        const answer = await rows.call(row, rows.able(row), {
          target,
          body: await rows.bodyWith(row, pointer, value),
        });
        expectInvalid(answer, pointer);
        expect(JSON.stringify(answer.body)).not.toContain(neverEchoed);
      });
  });
}

for (const row of endpoints.filter(({ text }) => text))
  describe(`${row.method} ${row.path}`, () => {
    test("reads its own media types alone", async () => {
      for (const type of ["application/json", "text/plain", "multipart/form-data; boundary=x"]) {
        const headers = { "Content-Type": type };
        expectProblem(await rows.call(row, rows.able(row), { headers }), "unsupported_media_type");
        expectProblem(await rows.call(row, null, { headers }), "unsupported_media_type");
      }
    });

    test("needs its body", async () => {
      expectInvalid(await rows.call(row, rows.able(row), { body: undefined }), "");
    });
  });

for (const row of endpoints.filter(({ body, text, method }) => !body && !text && method !== "GET")) {
  describe(`${row.method} ${row.path}`, () => {
    test("takes no field", async () => {
      const target = row.target ? "some-id" : undefined;
      const answer = await rows.call(row, rows.able(row), {
        target,
        body: { colour: neverEchoed, status: "ACTIVE" },
      });
      expectInvalid(answer, "/colour", "/status");
      expect(JSON.stringify(answer.body)).not.toContain(neverEchoed);
    });
  });
}
