import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { type Endpoint, neverEchoed, type Scene } from "../endpoint.ts";
import { endpoints } from "../endpoints.ts";
import { openHouse } from "../house.ts";
import { fittingOf } from "./fitting.ts";
import { requestsTo, type Sent } from "./fuzz-requests.ts";
import { resolved } from "./fuzz-values.ts";

/* `FUZZ_RUNS=5000 FUZZ_SEED=7 bun run test tests/http/fuzz.test.ts` asks each operation more, and other things. */
const runs = Number(process.env["FUZZ_RUNS"] ?? Math.ceil(3000 / endpoints.length));
const timeoutMs = 30_000 + 200 * runs;
const seed = Number(process.env["FUZZ_SEED"] ?? 1);

let scene: Scene;
/** Ids of records for each row; made beforehand, since what is sent may hold back requests that are made later. */
let targets: Map<Endpoint, string[]>;
let document: any;
let fits: ReturnType<typeof fittingOf>;
/** Ways to say who asks. */
let callers: Record<string, Record<string, string>>;
beforeAll(async () => {
  const house = await openHouse();
  const [customer, admin] = await Promise.all([house.signUp(), house.admin()]);
  scene = { house, customer, admin };
  const key = await customer.call("POST", "/api/identity/api-keys", { name: "fuzz", kind: "tenant" });
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  callers = {
    nobody: {},
    babbler: { Authorization: neverEchoed },
    stranger: bearer(`${admin.token}x`),
    customer: bearer(customer.token),
    admin: bearer(admin.token),
    service: bearer((await house.service(admin)).token),
    apiKey: { "X-API-Key": key.data.key },
  };
  targets = new Map(await Promise.all(endpoints.map(targetsOf)));
  document = (await house.call("GET", "/api/docs/json")).body;
  fits = fittingOf(document);
});
afterAll(() => scene.house.close());

/** Those whom nobody knows come seldom: they are refused before anything else is looked at. */
const asker = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom("nobody", "babbler", "stranger") },
  { weight: 6, arbitrary: fc.constantFrom("customer", "admin", "service", "apiKey") },
);

const name = ({ method, path }: Endpoint) => `${method} ${path}`;

for (const row of endpoints)
  test.concurrent(
    `${name(row)} keeps its word, whatever is sent`,
    async () => {
      const operation = document.paths[row.path][row.method.toLowerCase()];
      const request = fc.tuple(asker, requestsTo(document, operation, targets.get(row) ?? []));
      const property = fc.asyncProperty(request, async ([caller, sent]) => {
        expect(faultsOf(row, operation, await answerTo(row, caller, sent))).toEqual([]);
      });
      // The suite wants the first counterexample at once; who asks for more runs wants the smallest.
      await fc.assert(property, {
        numRuns: runs,
        seed,
        endOnFailure: process.env["FUZZ_RUNS"] === undefined,
      });
    },
    timeoutMs,
  );

async function targetsOf(row: Endpoint): Promise<[Endpoint, string[]]> {
  const made = await Promise.all(Array.from({ length: row.target ? 8 : 0 }, () => row.target?.(scene)));
  return [row, made.map((target) => encodeURIComponent(target as string))];
}

interface Answered {
  status: number;
  headers: Headers;
  text: string;
}

async function answerTo(row: Endpoint, caller: string, sent: Sent): Promise<Answered> {
  const path = row.path.replace(/\{\w+\}/, sent.segment) + sent.query;
  const response = await fetch(`${scene.house.program.url}${path}`, {
    method: row.method,
    headers: { ...sent.headers, ...callers[caller] },
    ...(sent.body === undefined || row.method === "GET" ? {} : { body: sent.body }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** In what an answer breaks the word of the document. */
function faultsOf(row: Endpoint, operation: any, { status, headers, text }: Answered): (string | null)[] {
  const told = operation.responses[status] && resolved(document, operation.responses[status]);
  if (!told) return [`${status} is not in the document: ${text}`];
  if (status >= 500) return [`${status}: ${text}`];
  const types = Object.keys(told.content);
  const type = types.find((each) => headers.get("content-type")?.startsWith(each)) ?? (types[0] as string);
  if (!type.endsWith("json") || type === "application/x-ndjson") return [];
  const body = JSON.parse(text);
  const faults = [
    headers.get("content-type")?.split(";")[0] === type ? null : `It is ${headers.get("content-type")}.`,
    /^[A-Za-z0-9._-]{1,128}$/.test(headers.get("x-request-id") ?? "") ? null : "It has no request id.",
    row.bare || body.meta.request_id === headers.get("x-request-id") ? null : "Its request ids differ.",
    ...Object.keys(told.headers).map((header) => missing(header, status, headers)),
    ...(status < 300
      ? [
          fits(
            body,
            ...["paths", row.path, row.method.toLowerCase(), "responses", status],
            ...["content", type, "schema"],
          ),
        ]
      : refusalFaults(body, status, told)),
  ];
  return faults.filter((fault) => fault !== null).map((fault) => `${status}: ${fault} ${text}`);
}

/** A header that the document promises; `Idempotency-Replayed` comes with what was stored alone. */
const missing = (header: string, status: number, headers: Headers) =>
  header === "Idempotency-Replayed" || headers.has(header) ? null : `${header} is missing from a ${status}.`;

function refusalFaults(problem: any, status: number, told: any): (string | null)[] {
  const { instance, errors = [], ...others } = problem;
  // A member that has no place there is pointed at by its name.
  const known = errors.filter(
    ({ message }: any) => !/^Is (not a known field|a reserved name)\.$/.test(message),
  );
  return [
    fits(problem, "components", "schemas", "Problem"),
    problem.status === status ? null : "Its statuses differ.",
    problem.code in told.content["application/problem+json"].examples
      ? null
      : "Its code is not in the document.",
    JSON.stringify([others, known]).includes(neverEchoed) ? "It repeats what was sent." : null,
  ];
}
