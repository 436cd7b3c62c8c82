import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { expectEnvelope, expectInvalid } from "../http/answers.ts";
import { eventually } from "../streams/bus.ts";
import { make, put, remove } from "./products.ts";
import { untilFound } from "./shelf.ts";

let house: House;
let admin: Person;
/** What was made, in the order of `sortOrder`. */
let all: any[];
const full = {
  ...{
    name: "Full <b>",
    description: "Hidden",
    specs: { vcpu: "4" },
    unitPrice: 5,
    annualDiscount: 10,
    tier: "premium",
  },
  ...{
    hourlyPrice: 0.000123,
    monthlyPrice: 24.9,
    currency: "EUR",
    features: ["IPv6", "Snapshots"],
    isPopular: true,
  },
  ...{ ctaText: "Order", ctaAction: "/order", category: "compute", status: "active" },
};
beforeAll(async () => {
  house = await openHouse({ samples: false });
  admin = await house.admin();
  const statuses = ["active", "draft", "active", "paused", "active", "archived"];
  const given = Array.from({ length: 130 }, (_, i) => ({
    ...{ name: `Plan ${i}`, category: i % 2 ? "compute" : "network", status: statuses[i % 6] },
    ...{ sortOrder: (i * 37) % 60 },
  }));
  all = await Promise.all([{ ...full, sortOrder: -1 }, ...given].map((each) => make(admin, each)));
  all.sort((a, b) => a.sortOrder - b.sortOrder || (a.id < b.id ? -1 : 1));
  await untilFound(admin, {}, all.length);
});
afterAll(() => house.close());

const plans = (query = "", headers: Record<string, string> = {}, method = "GET", root = "/api") =>
  house.call(method, `${root}/pricing-plans${query}`, undefined, headers);
const active = (category?: string) =>
  all.filter((each) => each.status === "active" && (category ?? each.category) === each.category);
const ids = (answer: { data: any }) => answer.data.map(({ id }: any) => id);

describe("GET /pricing-plans", () => {
  test("answers all that is on sale in one array by sortOrder, without a token", async () => {
    const answer = await plans();
    expect(answer.status).toBe(200);
    expectEnvelope(answer, { list: true, cacheable: true });
    expect(ids(answer)).toEqual(active().map(({ id }) => id));
    const { total, page, per_page, has_more } = answer.body.meta;
    expect([total, page, per_page, has_more]).toEqual([active().length, 1, active().length, false]);
    expect(ids(await plans("", {}, "GET", "/api/v1"))).toEqual(ids(answer));
  });

  test("shows of each what a price list shows, and nothing else", async () => {
    const [plan] = (await plans()).data;
    expect(plan).toEqual({
      ...{ id: all[0].id, name: "Full <b>", category: "compute", monthlyPrice: 24.9, hourlyPrice: 0.000123 },
      ...{ currency: "EUR", features: ["IPv6", "Snapshots"], tier: "premium", isPopular: true },
      ...{ ctaText: "Order", ctaAction: "/order" },
    });
  });

  test("shows everybody the same: staff what customers see", async () => {
    const { data } = await plans();
    for (const { token } of [admin, await house.signUp(), await house.service(admin)])
      expect((await plans("", { Authorization: `Bearer ${token}` })).data).toEqual(data);
  });

  test("narrows to a category", async () => {
    expect(ids(await plans("?category=compute"))).toEqual(active("compute").map(({ id }) => id));
    for (const category of ["nothing", "Compute", "constructor", "__proto__", "' OR 1=1"])
      expect((await plans(`?${new URLSearchParams({ category })}`)).data).toEqual([]);
  });

  test("is empty for every status but active", async () => {
    expect((await plans("?status=active")).data).toEqual((await plans()).data);
    for (const status of ["draft", "paused", "archived"]) {
      const answer = await plans(`?status=${status}&category=compute`);
      expectEnvelope(answer, { list: true, cacheable: true });
      expect([answer.data, answer.body.meta.total]).toEqual([[], 0]);
    }
  });

  for (const [query, ...pointers] of [
    ["status=ACTIVE", "query/status"],
    ["status=", "query/status"],
    ["category=", "query/category"],
    [`category=${"x".repeat(65)}`, "query/category"],
    ["limit=10", "query/limit"],
    ["page=1&sort=name", "query/page", "query/sort"],
    ["q=server", "query/q"],
  ] as const)
    test(`refuses ?${query.slice(0, 30)}`, async () => {
      expectInvalid(await plans(`?${query}`), ...pointers);
    });
});

describe("what pricing plans say of themselves", () => {
  const told = ["cache-control", "deprecation", "link", "etag"] as const;
  const headersOf = ({ headers }: { headers: Headers }) => told.map((name) => headers.get(name));

  test("they may be kept a minute, are deprecated, and what follows them", async () => {
    const [cache, deprecation, link, etag] = headersOf(await plans());
    expect(cache).toBe("public, max-age=60");
    expect(deprecation).toMatch(/^@\d{10}$/);
    expect(link).toBe('</api/products>; rel="successor-version"');
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
  });

  test("a HEAD says the same, without the plans", async () => {
    const [head, get] = [await plans("", {}, "HEAD"), await plans()];
    expect([head.status, head.body, headersOf(head)]).toEqual([200, "", headersOf(get)]);
  });

  test("whoever has them is told so, with the same headers and no body", async () => {
    const { headers } = await plans("?category=compute");
    const etag = headers.get("etag")!;
    for (const tags of [etag, etag.slice(2), `"other", ${etag}`, `"a",${etag.slice(2)} , "b"`, "*"]) {
      const answer = await plans("?category=compute", { "If-None-Match": tags });
      expect([tags, answer.status, answer.body]).toEqual([tags, 304, ""]);
      expect(headersOf(answer)).toEqual(headersOf({ headers }));
      expect(answer.headers.get("content-type")).toBeNull();
      expect(answer.headers.get("x-request-id")).not.toBeNull();
    }
    for (const tags of ['"other"', "", etag.toUpperCase(), etag.replaceAll('"', "")])
      expect((await plans("?category=compute", { "If-None-Match": tags })).status).toBe(200);
  });

  test("the tag is one for the same plans, and another for others", async () => {
    const tagOf = async (query = "") => (await plans(query)).headers.get("etag");
    const before = await tagOf();
    expect(await tagOf()).toBe(before);
    expect(await tagOf("?status=active")).toBe(before);
    expect(new Set([before, await tagOf("?category=compute"), await tagOf("?category=none")]).size).toBe(3);
    // A draft is not among them, so it changes nothing.
    const { id } = await make(admin, { category: "compute" });
    await untilFound(admin, { status: "draft" }, all.filter(({ status }) => status === "draft").length + 1);
    expect(await tagOf()).toBe(before);
    await put(admin, id, { status: "active", sortOrder: -2 });
    await eventually(async () => (await tagOf()) !== before);
    expect(ids(await plans())[0]).toBe(id);
    expect((await plans("", { "If-None-Match": before! })).status).toBe(200);
    await put(admin, id, { monthlyPrice: 25 });
    await eventually(async () => (await plans()).data[0].monthlyPrice === 25);
    await remove(admin, id);
    await eventually(async () => (await tagOf()) === before);
  });
});
