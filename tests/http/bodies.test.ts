import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { raw, requestText } from "../gateway/raw.ts";
import { type House, openHouse, type Person, vm } from "../house.ts";
import { expectInvalid, expectProblem } from "./answers.ts";

const path = "/api/provisioning/requests";
const limit = 10_485_760;

let house: House;
let person: Person;
let url: string;
beforeAll(async () => {
  house = await openHouse();
  person = await house.signUp();
  url = house.program.url as string;
});
afterAll(() => house.close());

const headers = (more: Record<string, string> = {}) => ({
  Host: "localhost",
  Authorization: `Bearer ${person.token}`,
  "Content-Type": "application/json",
  ...more,
});
/** A good body of so many bytes. */
function bodyOf(bytes: number): string {
  const body = vm(person.tenantId, { note: "" });
  return JSON.stringify({ ...body, metadata: { note: "x".repeat(bytes - JSON.stringify(body).length) } });
}
const chunked = (text: string, size: number) =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size))
    .map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`)
    .concat("0\r\n\r\n");
const sendChunked = (body: string, size = 65_536) =>
  raw(url, requestText("POST", path, headers({ "Transfer-Encoding": "chunked" })), ...chunked(body, size));

describe("the size of a body", () => {
  test("may be 10 MiB", async () => {
    const answer = await person.call("POST", path, bodyOf(limit));
    expect(answer.status).toBe(201);
    expect((await sendChunked(bodyOf(limit))).status).toBe(201);
  });

  test("may not be a byte more", async () => {
    expectProblem(await person.call("POST", path, bodyOf(limit + 1)), "body_too_large");
    expectProblem(await sendChunked(bodyOf(limit + 1)), "body_too_large");
  });

  test("is refused before it is sent, where it is told", async () => {
    const text = requestText("POST", path, headers({ "Content-Length": "99999999999" }), "{");
    expectProblem(await raw(url, text), "body_too_large");
  });

  test("is refused while it is still being sent, where it is not told", async () => {
    const chunk = `100000\r\n${"x".repeat(1_048_576)}\r\n`;
    const text = requestText("POST", path, headers({ "Transfer-Encoding": "chunked" }));
    expectProblem(await raw(url, text, ...Array<string>(12).fill(chunk)), "body_too_large");
  });

  test("leaves the connection as it was", async () => {
    const { port } = new URL(url);
    const answers: string[] = [];
    const { promise: both, resolve } = Promise.withResolvers<void>();
    const socket = connect(Number(port), "localhost");
    socket.setEncoding("latin1").on("data", (text: string) => {
      answers.push(...[...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status as string));
      if (answers.length === 2) resolve();
    });
    socket.write(requestText("POST", path, headers({ "Content-Length": String(limit + 1) })));
    socket.write("x".repeat(limit + 1));
    socket.write(requestText("GET", "/api/health", { Host: "localhost" }));
    await both;
    socket.destroy();
    expect(answers).toEqual(["413", "200"]);
  });

  test("comes after path and method, and before token and media type", async () => {
    const tooLong = { "Content-Length": String(limit + 1) };
    const ask = (method: string, target: string, more = {}) =>
      raw(url, requestText(method, target, { Host: "localhost", ...tooLong, ...more }, "x"));
    expect((await ask("POST", "/api/nothing")).status).toBe(404);
    expect((await ask("PUT", path)).status).toBe(405);
    expect((await ask("POST", path, { "Content-Type": "text/plain" })).status).toBe(413);
  });

  test("a body in many small chunks is a body like another", async () => {
    const answer = await sendChunked(JSON.stringify(vm(person.tenantId)), 7);
    expect([answer.status, answer.data.status]).toEqual([201, "PENDING"]);
  });
});

describe("a JSON body", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  const withMetadata = (text: string) =>
    JSON.stringify(vm(person.tenantId, {})).replace('"metadata":{}', `"metadata":{"deep":${text}}`);

  test("may be nested 64 deep and no deeper", async () => {
    // The body and its metadata are two levels themselves.
    expect((await person.call("POST", path, withMetadata(nested(62)))).status).toBe(201);
    expectProblem(await person.call("POST", path, withMetadata(nested(63))), "malformed_json");
    const objects = `${'{"a":'.repeat(70)}1${"}".repeat(70)}`;
    expectProblem(await person.call("POST", path, withMetadata(objects)), "malformed_json");
  });

  test("of a million brackets is refused like any other", async () => {
    expectProblem(await person.call("POST", path, nested(1_000_000)), "malformed_json");
    expectProblem(await person.call("POST", path, "[".repeat(1_000_000)), "malformed_json");
  });

  test("is UTF-8", async () => {
    const text = JSON.stringify(vm(person.tenantId, { note: "Zürich 🚀 \ufffd" }));
    const good = await person.call("POST", path, text);
    expect(good.data.metadata.note).toBe("Zürich 🚀 \ufffd");
    const bytes = Buffer.from(text.replace("Zürich", "Z__rich"));
    bytes.set([0xc3, 0x28], bytes.indexOf("__"));
    const request = requestText("POST", path, headers({ "Content-Length": String(bytes.length) }));
    expectProblem(await raw(url, request, bytes), "malformed_json");
  });

  test("holds whole characters, escaped or not", async () => {
    const good = await person.call("POST", path, withMetadata('"\\ud83d\\ude80 \\\\ud800"'));
    expect(good.data.metadata.deep).toBe("🚀 \\ud800");
    for (const text of ['"\\ud800"', '"\\ude80\\ud83d"', '["a", {"b\\uDFFF": 1}]'])
      expectProblem(await person.call("POST", path, withMetadata(text)), "malformed_json");
  });

  test("holds numbers that can be kept", async () => {
    const good = await person.call("POST", path, withMetadata("[1e300, -1.5e-400, 12345]"));
    expect(good.data.metadata.deep).toEqual([1e300, 0, 12345]);
    for (const text of ["1e400", "[-1E+999]", "9".repeat(400)])
      expectProblem(await person.call("POST", path, withMetadata(text)), "malformed_json");
  });

  test("may be as long as its characters are many, whatever they are made of", async () => {
    const named = (orderId: string) => person.call("POST", path, { ...vm(person.tenantId), orderId });
    expect((await named("🚀".repeat(64))).data.orderId).toBe("🚀".repeat(64));
    expectInvalid(await named("🚀".repeat(65)), "/orderId");
    const password = "🚀".repeat(6);
    const weak = await house.call("POST", "/api/identity/auth/register", {
      email: "a@b.example",
      name: "A",
      password,
    });
    expectInvalid(weak, "/password");
  });

  test("is told everything that is wrong with it, also where its kind is not known", async () => {
    const answer = await person.call("POST", path, { resourceType: "SPACESHIP", orderId: 5, foo: 1, bar: 2 });
    const missing = ["/tenantId", "/orderItemId", "/specification"];
    expectInvalid(answer, "/resourceType", "/orderId", "/foo", "/bar", ...missing);
  });

  test("needs its media type", async () => {
    const body = JSON.stringify(vm(person.tenantId));
    const { "Content-Type": _, ...others } = headers({ "Content-Length": String(body.length) });
    expectProblem(await raw(url, requestText("POST", path, others, body)), "unsupported_media_type");
    for (const type of ["application/problem+json", "application/jsonp", "application/json2", "*/*", "json"])
      expectProblem(
        await person.call("POST", path, body, { "Content-Type": type }),
        "unsupported_media_type",
      );
  });

  test("comes before the token: its media type, and whether it is JSON", async () => {
    const send = (body: string, type: string) => house.call("POST", path, body, { "Content-Type": type });
    expectProblem(await send("{}", "text/plain"), "unsupported_media_type");
    expectProblem(await send("{", "application/json"), "malformed_json");
    expectProblem(await send("{}", "application/json"), "unauthenticated");
  });
});

describe("a body with more faults than can be told", () => {
  const refused = async (body: object) => {
    const answer = await house.call("POST", "/api/identity/auth/logout", body);
    expect([answer.status, answer.body.code]).toEqual([422, "validation_failed"]);
    return answer.body.errors.map(({ pointer }: any) => pointer);
  };
  const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, 1]));

  test("is told some of them", async () => {
    expect(await refused(names(30))).toHaveLength(31);
    expect((await refused(names(3000))).length).toBeLessThanOrEqual(100);
  });

  test("is told one of them where it is large, and holds up nobody", async () => {
    expect((await refused(names(500_000))).length).toBeLessThanOrEqual(100);
    const scopes = Array.from({ length: 1_000_000 }, () => 1);
    const answer = await person.call("POST", "/api/identity/api-keys", { name: "x", kind: "tenant", scopes });
    expectInvalid(answer, "/scopes/0");
  });
});

describe("a command that takes no body", () => {
  const start = async (body?: unknown) => {
    const { data } = await person.call("POST", path, vm(person.tenantId));
    const admin = await house.admin();
    return admin.call("POST", `${path}/${data.id}/start`, body);
  };

  test("takes none, or an empty object", async () => {
    expect((await start()).status).toBe(200);
    expect((await start({})).status).toBe(200);
  });

  test("refuses any field by name", async () => {
    expectInvalid(await start({ force: true, by: "me" }), "/by", "/force");
  });
});

describe("a query", () => {
  test("with a parameter that is not known is refused, whatever the endpoint", async () => {
    expectInvalid(await person.call("GET", "/api/identity/me?colour=blue"), "query/colour");
    expectInvalid(await person.call("POST", `${path}?colour=blue`, vm(person.tenantId)), "query/colour");
  });

  test("with a parameter that comes twice is refused", async () => {
    expectInvalid(await person.call("GET", `${path}?limit=1&limit=2`), "query/limit");
  });

  test("is taken as it was sent", async () => {
    for (const text of ["a,b", "[1]", '{"a":1}', "1", "true", "a b", "ü"]) {
      const { data } = await person.call("POST", path, { ...vm(person.tenantId), orderId: text });
      const found = await person.call("GET", `${path}/order/${encodeURIComponent(text)}`);
      expect(found.data.map(({ id }: any) => id)).toEqual([data.id]);
    }
  });
});
