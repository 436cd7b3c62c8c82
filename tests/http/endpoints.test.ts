import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  type Endpoint,
  type Grant,
  grants,
  needsToken,
  neverEchoed,
  roles,
  type Scene,
  withValue,
} from "../endpoint.ts";
import { endpoints } from "../endpoints.ts";
import { type Answer, openHouse, type Person } from "../house.ts";
import { expectEnvelope, expectGatewayHeaders, expectInvalid, expectProblem } from "./answers.ts";

let scene: Scene;
let callers: Record<string, Person>;
beforeAll(async () => {
  const house = await openHouse();
  const [customer, foreign, admin, ...staff] = await Promise.all([
    house.signUp(),
    house.signUp(),
    house.admin(),
    ...roles.map((role) => house.staff(role)),
  ]);
  scene = { house, customer, admin };
  const byRole = Object.fromEntries(roles.map((role, i) => [role, staff[i] as Person]));
  callers = { customer, foreign, service: await house.service(admin), ...byRole };
});
afterAll(() => scene.house.close());

interface Asked {
  target?: string;
  body?: unknown;
  headers?: Record<string, string>;
  query?: string;
  /** Below `/api/v1` rather than `/api`. */
  alias?: true;
  method?: string;
}

/** One call of a row: with its own body, on a fresh target, unless told otherwise. */
async function call(row: Endpoint, person: Person | null, asked: Asked = {}): Promise<Answer> {
  const target = asked.target ?? (await row.target?.(scene)) ?? "";
  const path = row.path.replace(/\{\w+\}/, target).replace("/api/", asked.alias ? "/api/v1/" : "/api/");
  const body = "body" in asked ? asked.body : await row.body?.(scene);
  const headers = { ...(await row.headers?.(scene)), ...asked.headers };
  const send = person?.call ?? scene.house.call;
  const query = [row.query, asked.query?.slice(1)].filter(Boolean).join("&");
  return send(asked.method ?? row.method, query ? `${path}?${query}` : path, body, headers);
}

/** A body that is good but for one value. */
const bodyWith = async (row: Endpoint, pointer: string, value: unknown) =>
  withValue((await row.body?.(scene)) ?? {}, pointer, value);

/** The status that the permission table promises a caller; whom it does not name is like the user of another tenant. */
function promised(row: Endpoint, caller: string): number {
  const grant: Grant = grants[row.may as keyof typeof grants];
  const given = row.answers?.[caller];
  if (given !== undefined) return given;
  if (caller === "service") return grant.services ? row.status : 403;
  if (grant.staff?.some((role) => role === caller)) return row.status;
  if (!grant.tenant) return 403;
  if (caller === "customer") return row.status;
  if (row.foreign === "hidden") return 404;
  return row.tenantIn === "body" ? 403 : row.status;
}

for (const row of endpoints) {
  describe(`${row.method} ${row.path}`, () => {
    test("answers in the envelope, with the gateway's headers", async () => {
      const answer = await call(row, able(row));
      expect(answer.status).toBe(row.status);
      if (row.bare) return expectGatewayHeaders(answer);
      expectEnvelope(answer, row.list);
      if (row.status === 201) expect(answer.headers.get("location")).toMatch(/^\/api\//);
      const { version } = answer.data;
      expect(answer.headers.get("etag")).toBe(version === undefined ? null : `"${version}"`);
    });

    test("is served under /api/v1 too", async () => {
      const answer = await call(row, able(row), { alias: true });
      expect(answer.status).toBe(row.status);
    });

    if (row.method === "GET")
      test("answers HEAD like GET, without the body", async () => {
        const answer = await call(row, able(row), { method: "HEAD" });
        expect([answer.status, answer.body]).toEqual([row.status, ""]);
      });

    if (needsToken(row)) tokens(row);
    if (row.body) bodies(row);
    if (row.list) lists(row);
  });
}

/** The first of the callers who may; nobody where no token is needed. */
function able(row: Endpoint): Person | null {
  if (!needsToken(row)) return null;
  const name = Object.keys(callers).find((caller) => promised(row, caller) === row.status);
  if (!name) throw new Error(`Nobody may ${row.method} ${row.path}.`);
  return callers[name] as Person;
}

function tokens(row: Endpoint) {
  test("asks for a token, and says how", async () => {
    // An id that nobody has: without a token it makes no difference.
    const target = "some-id";
    const none = await call(row, null, { target });
    expectProblem(none, "unauthenticated");
    expect(none.headers.get("www-authenticate")).toBe("Bearer");
    for (const authorization of ["Bearer a.b.c", `Bearer ${scene.admin.token}x`, `bearer ${neverEchoed}`]) {
      const broken = await call(row, null, { target, headers: { Authorization: authorization } });
      expectProblem(broken, "unauthenticated");
      expect(broken.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
      expect(JSON.stringify(broken.body)).not.toContain(neverEchoed);
    }
    const basic = await call(row, null, { target, headers: { Authorization: "Basic YTpi" } });
    expectProblem(basic, "unauthenticated");
  });

  test("lets in whom the permission table names, and nobody else", async () => {
    const names = Object.keys(callers);
    const answers = await Promise.all(names.map((name) => call(row, callers[name] as Person)));
    const found = Object.fromEntries(names.map((name, i) => [name, answers[i]?.status]));
    expect(found).toEqual(Object.fromEntries(names.map((name) => [name, promised(row, name)])));
    for (const [i, name] of names.entries()) {
      const answer = answers[i] as Answer;
      if (answer.status === 403) expectProblem(answer, named(row, name) ? "tenant_mismatch" : "forbidden");
    }
  });

  if (row.foreign === "hidden")
    test("does not tell another tenant that a record is there", async () => {
      const foreign = callers["foreign"] as Person;
      const theirs = await call(row, able(row) === scene.customer ? foreign : scene.admin, {
        target: "nope",
      });
      const records = ["01930b1c-7d5e-7a3b-8c21-4f9d6e0a1b2c", "%C3%BC", "%00", "a".repeat(300)];
      const others = await Promise.all(records.map((target) => call(row, scene.admin, { target })));
      const hidden = able(row) === scene.customer ? [await call(row, foreign)] : [];
      for (const answer of [theirs, ...others, ...hidden]) {
        expectProblem(answer, "not_found");
        expect(answer.body.detail).toBe(theirs.body.detail);
      }
    });

  if (row.foreign === "empty")
    test("is empty for another tenant", async () => {
      expect((await call(row, callers["foreign"] as Person)).data).toEqual([]);
    });

  if (row.tenantIn)
    test("refuses another tenant's name", async () => {
      const foreign = callers["foreign"] as Person;
      const { tenantId } = scene.customer;
      const asked =
        row.tenantIn === "query"
          ? { query: `?tenantId=${tenantId}` }
          : { body: await bodyWith(row, "/tenantId", tenantId) };
      expectProblem(await call(row, foreign, asked), "tenant_mismatch");
    });
}

/** Whether a caller is refused because of the tenant that they name. */
const named = (row: Endpoint, caller: string) =>
  row.tenantIn === "body" &&
  (grants[row.may as keyof typeof grants] as Grant).tenant === true &&
  caller !== "service";

function bodies(row: Endpoint) {
  test("reads JSON alone", async () => {
    const [person, target] = [able(row), await row.target?.(scene)];
    const send = (body: string, type: string) =>
      call(row, person, { target, body, headers: { "Content-Type": type } });
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
    const body = JSON.stringify(await row.body?.(scene));
    const answer = await call(row, able(row), {
      body,
      headers: { "Content-Type": "Application/JSON; Charset=UTF-8" },
    });
    expect(answer.status).toBe(row.status);
  });

  test(row.bodyOptional ? "can do without its body" : "needs its body", async () => {
    const answer = await call(row, able(row), { body: undefined });
    if (row.bodyOptional) expect(answer.status).toBe(row.status);
    else expect([answer.status, answer.body.code]).toEqual([422, "validation_failed"]);
  });

  test("wants an object", async () => {
    const [person, target] = [able(row), await row.target?.(scene)];
    for (const body of ["[]", '"text"', "5", "true", `["${neverEchoed}"]`]) {
      const answer = await call(row, person, { target, body });
      expect([answer.status, answer.body.code]).toEqual([422, "validation_failed"]);
      expect(JSON.stringify(answer.body)).not.toContain(neverEchoed);
    }
  });

  test("refuses a field that it does not know, by name", async () => {
    const [person, target] = [able(row), await row.target?.(scene)];
    const answer = await call(row, person, { target, body: await bodyWith(row, "/colour", neverEchoed) });
    expectInvalid(answer, "/colour");
    expect(JSON.stringify(answer.body)).not.toContain(neverEchoed);
    const pointed = await call(row, person, { target, body: await bodyWith(row, "/a~b", 1) });
    expectInvalid(pointed, "/a~0b");
  });

  for (const field of row.owned ?? [])
    test(`does not let ${field} be set`, async () => {
      const target = row.target ? "some-id" : undefined;
      expectInvalid(
        await call(row, able(row), { target, body: await bodyWith(row, `/${field}`, 1) }),
        `/${field}`,
      );
    });

  for (const [pointer, value] of row.wrong ?? [])
    test(`refuses ${value === undefined ? "no" : JSON.stringify(value).slice(0, 30)} at ${pointer}`, async () => {
      const target = row.target ? "some-id" : undefined;
      const answer = await call(row, able(row), { target, body: await bodyWith(row, pointer, value) });
      expectInvalid(answer, pointer);
      expect(JSON.stringify(answer.body)).not.toContain(neverEchoed);
    });
}

function lists(row: Endpoint) {
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
      const answer = await call(row, able(row), { query: `?${query}` });
      expectInvalid(answer, `query/${query.split("=")[0]}`);
      expect(JSON.stringify(answer.body)).not.toContain(neverEchoed);
    });
}
