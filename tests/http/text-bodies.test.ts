import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ErrorCode } from "../../schema/errors.ts";
import { raw, requestText } from "../gateway/raw.ts";
import { type House, openHouse, type Person } from "../house.ts";
import { newProduct, path } from "../products/products.ts";
import { expectInvalid, expectProblem } from "./answers.ts";

/* What is promised of bodies that are not JSON: an endpoint that `takes` text. */

const target = `${path}/import`;
const ndjson = "application/x-ndjson";
const limit = 10_485_760;

let house: House;
let admin: Person;
let customer: Person;
let url: string;
beforeAll(async () => {
  house = await openHouse({ samples: false });
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
  url = house.program.url as string;
});
afterAll(() => house.close());

const bearer = ({ token }: Person) => ({ Authorization: `Bearer ${token}` });
const headers = (more: Record<string, string> = {}) => ({
  Host: "localhost",
  ...bearer(admin),
  "Content-Type": ndjson,
  ...more,
});
const line = (more: object = {}) => `${JSON.stringify(newProduct(more))}\n`;
/** A good body of so many bytes: one row, and a blank line. */
const bodyOf = (bytes: number) => line().padEnd(bytes, " ");
const sendBytes = (bytes: Uint8Array, more: Record<string, string> = {}) =>
  raw(url, requestText("POST", target, headers({ "Content-Length": String(bytes.length), ...more })), bytes);
/** In chunks of so many bytes, whatever characters they cut apart. */
function sendChunked(body: string | Uint8Array, size: number, more: Record<string, string> = {}) {
  const bytes = Buffer.from(body as string);
  const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  ).flatMap((chunk) => [`${chunk.length.toString(16)}\r\n`, chunk, "\r\n"]);
  const head = requestText("POST", target, headers({ "Transfer-Encoding": "chunked", ...more }));
  return raw(url, head, ...parts, "0\r\n\r\n");
}

interface Sent {
  method: string;
  path: string;
  body: Uint8Array;
  headers: Record<string, string>;
}
const withBody = (text: string | Uint8Array) => {
  const body = Buffer.from(text as string);
  return { body, headers: { "Content-Length": String(body.length) } };
};

/** Everything that can be wrong with a request that has a text, in the order in which it is told, and what mends it. */
const faults: [code: ErrorCode, mend: () => Partial<Sent>][] = [
  ["not_found", () => ({ path: `${target}?dryRun=perhaps` })],
  ["method_not_allowed", () => ({ method: "POST" })],
  ["body_too_large", () => ({ headers: { "Content-Length": "3" } })],
  ["unsupported_media_type", () => ({ headers: { "Content-Type": "text/csv; charset=utf-8" } })],
  ["bad_request", () => withBody("sku\ntwo words\n")],
  ["unauthenticated", () => ({ headers: bearer(customer) })],
  ["forbidden", () => ({ headers: bearer(admin) })],
  ["validation_failed", () => ({ path: target })],
  ["validation_failed", () => withBody(`sku,name,category,monthlyPrice\n${newProduct().sku},A,b,1\n`)],
];

describe("a text with everything wrong", () => {
  test("is told one fault after the other, in the order of the checks", async () => {
    let sent: Sent = {
      method: "PUT",
      path: `${target}s/now`,
      body: Buffer.from([0xff, 0xfe, 0x00]),
      headers: { Host: "localhost", "Content-Type": "application/json", "Content-Length": "99999999" },
    };
    const ask = () => raw(url, requestText(sent.method, sent.path, sent.headers), sent.body);
    const told: ErrorCode[] = [];
    for (const [, mend] of faults) {
      told.push((await ask()).body.code);
      const mended = mend();
      sent = { ...sent, ...mended, headers: { ...sent.headers, ...mended.headers } };
    }
    expect(told).toEqual(faults.map(([code]) => code));
    expect((await ask()).data).toMatchObject({ created: 1 });
  });
});

describe("the size of a text", () => {
  test("may be 10 MiB, and not a byte more", async () => {
    const send = (body: string) => admin.call("POST", target, body, { "Content-Type": ndjson });
    expect((await send(bodyOf(limit))).data).toMatchObject({ created: 1 });
    expectProblem(await send(bodyOf(limit + 1)), "body_too_large");
  });

  test("is the same in chunks", async () => {
    expect((await sendChunked(bodyOf(limit), 1_048_576)).data).toMatchObject({ created: 1 });
    expectProblem(await sendChunked(bodyOf(limit + 1), 1_048_576), "body_too_large");
  });

  test("is refused while it is still being sent, where it is not told", async () => {
    const chunk = `100000\r\n${"\n".repeat(1_048_576)}\r\n`;
    const head = requestText("POST", target, headers({ "Transfer-Encoding": "chunked" }));
    expectProblem(await raw(url, head, ...Array<string>(11).fill(chunk)), "body_too_large");
  });
});

describe("a text", () => {
  test("in chunks that cut characters apart is a text like another", async () => {
    const name = "Zürich 🚀 日本語";
    const row = newProduct({ name });
    const answer = await sendChunked(`\ufeff${JSON.stringify(row)}`, 1);
    expect(answer.data).toMatchObject({ created: 1 });
    const { data } = await admin.call("GET", `${path}?category=${row.category}&limit=100`);
    expect(data.find(({ sku }: any) => sku === row.sku).name).toBe(name);
  });

  test.each([
    ["a byte that begins nothing", [0xc3, 0x28]],
    ["half of a surrogate pair", [0xed, 0xa0, 0x80]],
    ["a character written too long", [0xc0, 0xaf]],
    ["a character cut off at its end", [0xf0, 0x9f, 0x9a]],
  ])("that has %s is refused, whole or in chunks, and is echoed nowhere", async (_, bytes) => {
    const body = Buffer.concat([Buffer.from(line({ name: "do-not-echo-me" })), Buffer.from(bytes)]);
    const refused = [sendBytes(body), sendChunked(body, 7), sendBytes(body, { "Content-Type": "text/csv" })];
    for (const answer of await Promise.all(refused)) {
      expectProblem(answer, "bad_request");
      expect(JSON.stringify(answer.body)).not.toContain("echo");
    }
  });

  test("in UTF-16, as spreadsheets save it, is refused", async () => {
    const body = Buffer.from("\ufeffsku,name\r\nA,B\r\n", "utf16le");
    expectProblem(await sendBytes(body, { "Content-Type": "text/csv; charset=utf-16" }), "bad_request");
  });

  test("needs its media type", async () => {
    const { "Content-Type": _, ...others } = headers({ "Content-Length": "3" });
    expectProblem(await raw(url, requestText("POST", target, others, "sku")), "unsupported_media_type");
    for (const type of [
      "text/csv2",
      "text/*",
      "csv",
      "application/x-ndjson, text/csv",
      "application/csv",
      ";",
    ])
      expectProblem(
        await admin.call("POST", target, line(), { "Content-Type": type }),
        "unsupported_media_type",
      );
  });

  test("is missing where it has no byte, whatever its media type", async () => {
    for (const type of [ndjson, "text/csv", "application/json"]) {
      const body = Buffer.from("");
      expectInvalid(await sendBytes(body, { "Content-Type": type }), "");
      expectInvalid(await sendChunked("", 1, { "Content-Type": type }), "");
      const answer = await sendBytes(body, { "Content-Type": type, Authorization: "Bearer nobody" });
      expectProblem(answer, "unauthenticated");
    }
  });

  test("is not taken where JSON is meant", async () => {
    for (const type of [ndjson, "text/csv"])
      expectProblem(
        await admin.call("POST", path, line(), { "Content-Type": type }),
        "unsupported_media_type",
      );
  });
});
