import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ServiceError } from "../../schema/errors.ts";
import { type Config, readConfig } from "../../src/config.ts";
import { placeOf } from "../../src/gateway/prefixes.ts";
import { createRateLimits } from "../../src/gateway/rate-limits.ts";
import { ownConfig } from "../config.ts";
import { type Answer, type House, openHouse, password } from "../house.ts";
import { expectProblem } from "../http/answers.ts";

const login = "/api/identity/auth/login";
const register = "/api/identity/auth/register";

/** What the limits make of requests at these times: seconds of `Retry-After`, or 0 where one may pass. */
function verdicts(environment: Record<string, string>, place: [method: string, path: string]) {
  const limits = createRateLimits(readConfig(environment));
  return (times: number[], address = "192.0.2.1") =>
    times.map((atMs) => {
      try {
        limits.admit(placeOf(...place), address, atMs);
        return 0;
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== "rate_limited") throw error;
        return Number(error.headers["Retry-After"]);
      }
    });
}
const zoneAlone = { SERVICE_THROTTLES: "off" };
const at = (count: number, ms: number) => Array<number>(count).fill(ms);
const passed = (verdicts: number[]) => verdicts.filter((verdict) => verdict === 0).length;

describe("a rate zone", () => {
  for (const [zone, method, path, burst, perSecond] of [
    ["auth_login", "POST", login, 3, 5],
    ["auth_login", "POST", "/api/v1/identity/auth/login", 3, 5],
    ["auth_login", "POST", `${login}/`, 3, 5],
    ["auth_register", "POST", register, 2, 2],
    ["api_general", "GET", login, 20, 30],
    ["api_general", "GET", "/api/provisioning/requests", 20, 30],
    ["api_general", "POST", "/v1/provisioning/metrics", 20, 30],
    ["api_general", "GET", "/api/docs/json", 20, 30],
    ["api_general", "GET", "/api/nothing", 20, 30],
  ] as const)
    test(`${zone} lets ${burst} and one ${method} ${path} through at once, then ${perSecond} a second`, () => {
      const ask = verdicts(zoneAlone, [method, path]);
      expect(ask(at(burst + 3, 0))).toEqual([...at(burst + 1, 0), 1, 1]);
      const paceMs = 1000 / perSecond;
      // One drains in each pace; what was refused has not filled the bucket.
      expect(ask([paceMs + 0.1, paceMs + 0.2, 2 * paceMs + 0.2])).toEqual([0, 1, 0]);
      expect(passed(ask(at(burst + 5, 60_000)))).toBe(burst + 1);
    });

  test("keeps to its rate over a long time", () => {
    const ask = verdicts(zoneAlone, ["POST", login]);
    const minute = Array.from({ length: 6000 }, (_, i) => i * 10);
    expect(passed(ask(minute))).toBe(5 * 60 + 3);
  });

  test("counts each address by itself", () => {
    const ask = verdicts(zoneAlone, ["POST", login]);
    for (const address of ["192.0.2.1", "192.0.2.2", "2001:db8::1"])
      expect(passed(ask(at(10, 0), address))).toBe(4);
  });

  for (const path of [
    "/health",
    "/api/health",
    "/api/ready",
    "/api/billing/webhooks/stripe",
    "/ws/notifications",
    "/x",
  ])
    test(`there is none for ${path}`, () => {
      expect(passed(verdicts({}, ["POST", path])(at(1000, 0)))).toBe(1000);
    });

  test("is not there where limits are off", () => {
    expect(passed(verdicts({ RATE_LIMITS: "off" }, ["POST", login])(at(1000, 0)))).toBe(1000);
  });
});

describe("a service's throttle", () => {
  const slowly = (count: number) => Array.from({ length: count }, (_, i) => i * 1000);

  for (const [path, perMinute] of [
    ["/api/identity/me", 20],
    ["/api/provisioning/requests", 30],
    ["/api/v1/clusters", 30],
  ] as const)
    test(`lets ${perMinute} a minute through to ${path}`, () => {
      const found = verdicts({}, ["GET", path])([...slowly(40), 60_000]);
      expect(found).toEqual([
        ...at(perMinute, 0),
        ...slowly(40)
          .slice(perMinute)
          .map((ms) => 60 - ms / 1000),
        0,
      ]);
    });

  test("is one for all paths of a service, and another for each service", () => {
    const limits = createRateLimits(readConfig({}));
    const admit = (path: string, ms: number) => limits.admit(placeOf("GET", path), "192.0.2.1", ms);
    for (let n = 0; n < 30; n++) admit(n % 2 ? "/api/clusters" : "/api/dns/zones", n * 1000);
    expect(() => admit("/api/quotas", 30_000)).toThrow(ServiceError);
    admit("/api/orders", 30_000);
  });

  test("has the rates that are set", () => {
    const rates = { SERVICE_THROTTLES: "provisioning=2,default=4" };
    expect(passed(verdicts(rates, ["GET", "/api/clusters"])(slowly(20)))).toBe(2);
    expect(passed(verdicts(rates, ["GET", "/api/orders"])(slowly(20)))).toBe(4);
    expect(passed(verdicts(rates, ["GET", "/api/identity/me"])(slowly(40)))).toBe(20);
  });

  for (const path of ["/api/docs", "/api/health", "/api/billing/webhooks/stripe"])
    test(`there is none for ${path}`, () => {
      expect(passed(verdicts({}, ["GET", path])(slowly(59)))).toBe(59);
    });
});

describe("over HTTP", () => {
  let house: House;
  beforeAll(async () => {
    const config: Config = { ...ownConfig(), RATE_LIMITS: true, TRUSTED_PROXY_HOPS: 1 };
    house = await openHouse({ config, samples: false });
  });
  afterAll(() => house.close());

  const from = (address: string, headers: object = {}) => ({ "X-Forwarded-For": address, ...headers });
  const many = (count: number, send: () => Promise<Answer>) =>
    Promise.all(Array.from({ length: count }, send));
  const refused = (answers: Answer[]) => answers.filter(({ status }) => status === 429);

  test("what is beyond the burst is refused at once, as a problem with Retry-After", async () => {
    const send = () => house.call("POST", login, { email: "no@example.com", password }, from("192.0.2.10"));
    const answers = await many(12, send);
    const late = refused(answers);
    expect(answers.filter(({ status }) => status === 401).length).toBeGreaterThanOrEqual(4);
    expect(late.length).toBeGreaterThan(0);
    for (const answer of late) {
      expectProblem(answer, "rate_limited");
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    }
  });

  test("another address is not held up", async () => {
    const one = await many(150, () => house.call("GET", "/api/docs/json", undefined, from("192.0.2.20")));
    expect(refused(one).length).toBeGreaterThan(0);
    const answer = await house.call("GET", "/api/docs/json", undefined, from("192.0.2.21"));
    expect(answer.status).toBe(200);
  });

  test("the zone comes before path and method", async () => {
    const answers = await many(60, () => house.call("GET", "/api/nothing", undefined, from("192.0.2.30")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404, 429]));
  });

  test("preflights are not counted", async () => {
    const headers = from("192.0.2.40", {
      Origin: "https://a.example",
      "Access-Control-Request-Method": "POST",
    });
    const answers = await many(60, () => house.call("OPTIONS", login, undefined, headers));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test("probes are not counted", async () => {
    const answers = await many(60, () => house.call("GET", "/api/ready", undefined, from("192.0.2.50")));
    expect(refused(answers)).toEqual([]);
  });
});
