import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ownConfig } from "../config.ts";
import { type Answer, type House, openHouse } from "../house.ts";
import { expectGatewayHeaders } from "../http/answers.ts";

const shop = "https://shop.example";
let own: House;
let open: House;
beforeAll(async () => {
  const config = { ...ownConfig(), CORS_ORIGINS: [shop, "https://desk.example:8443"] };
  [own, open] = await Promise.all([openHouse({ samples: false }), openHouse({ config, samples: false })]);
});
afterAll(() => Promise.all([own.close(), open.close()]));

const path = "/api/provisioning/requests";
const preflight = (house: House, origin: string, to = path) =>
  house.call("OPTIONS", to, undefined, {
    Origin: origin,
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization, content-type",
  });
const corsHeaders = ({ headers }: Answer) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith("access-control-")));

describe("a preflight", () => {
  test("from an allowed origin is answered with what may be sent", async () => {
    const answer = await preflight(open, shop);
    expectGatewayHeaders(answer);
    expect(answer.status).toBe(200);
    const headers = corsHeaders(answer);
    expect(headers).toMatchObject({
      "access-control-allow-origin": shop,
      "access-control-allow-credentials": "true",
      "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
      "access-control-max-age": "86400",
    });
    const sendable = headers["access-control-allow-headers"]?.toLowerCase().split(", ");
    expect(sendable).toEqual(
      expect.arrayContaining(["authorization", "content-type", "if-match", "idempotency-key"]),
    );
    expect(answer.headers.get("vary")).toContain("Origin");
  });

  test("needs no token, and no path that is there", async () => {
    expect(corsHeaders(await preflight(open, shop, "/api/nothing"))).not.toEqual({});
  });

  for (const origin of [
    "https://evil.example",
    `${shop}.evil.example`,
    "http://shop.example",
    "null",
    `${shop}:8443`,
  ])
    test(`from ${origin} is answered without allow headers`, async () => {
      const answer = await preflight(open, origin);
      expect([answer.status, corsHeaders(answer)]).toEqual([200, {}]);
    });

  test("is for the own origin alone where no other is named", async () => {
    const mine = own.program.url as string;
    expect(corsHeaders(await preflight(own, mine))["access-control-allow-origin"]).toBe(mine);
    expect(corsHeaders(await preflight(own, shop))).toEqual({});
  });
});

describe("an answer", () => {
  const get = (house: House, origin?: string) =>
    house.call("GET", path, undefined, origin ? { Origin: origin } : {});

  test("can be read by scripts of an allowed origin, errors too", async () => {
    const answer = await get(open, shop);
    expect(answer.status).toBe(401);
    const headers = corsHeaders(answer);
    expect(headers["access-control-allow-origin"]).toBe(shop);
    expect(headers["access-control-allow-credentials"]).toBe("true");
    expect(headers["access-control-expose-headers"]).toContain("X-Request-ID");
  });

  test("can't be read by others", async () => {
    expect(corsHeaders(await get(open, "https://evil.example"))).toEqual({});
    expect(corsHeaders(await get(own, shop))).toEqual({});
  });

  test("tells caches that it depends on the origin", async () => {
    for (const origin of [undefined, shop, "https://evil.example"])
      expect((await get(open, origin)).headers.get("vary")).toContain("Origin");
  });
});

describe("OPTIONS that is no preflight", () => {
  test("is a method that the path does not take", async () => {
    const answer = await open.call("OPTIONS", path);
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
  });
});
