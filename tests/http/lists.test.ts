import { describe, expect, test } from "bun:test";
import { neverEchoed } from "../endpoint.ts";
import { endpoints } from "../endpoints.ts";
import { expectInvalid } from "./answers.ts";
import { openCallers } from "./rows.ts";

const rows = openCallers();

for (const row of endpoints.filter(({ list }) => list)) {
  describe(`${row.method} ${row.path}`, () => {
    const wrong = [
      "limit=0",
      "limit=101",
      "limit=1.5",
      "limit=",
      "offset=-1",
      "offset=10001",
      "cursor=x",
      "page=0",
      "page=x",
    ];
    for (const query of [...wrong, `sort=${neverEchoed}`, `colour=${neverEchoed}`])
      test(`refuses ?${query}`, async () => {
        const answer = await rows.call(row, rows.able(row), { query });
        expectInvalid(answer, `query/${query.split("=")[0]}`);
        expect(JSON.stringify(answer.body)).not.toContain(neverEchoed);
      });
  });
}
