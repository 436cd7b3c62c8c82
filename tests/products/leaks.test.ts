import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { productSorts } from "../../src/products/filters.ts";
import { type House, openHouse, type Person } from "../house.ts";
import { idsOf, make, path, put } from "./products.ts";
import { search, untilFound } from "./shelf.ts";

/** What is on sale. */
const shown = [
  { name: "Server Small", sku: "SRV-S", category: "compute", tier: "basic", isPopular: true },
  { name: "Server Large", sku: "SRV-L", category: "compute", tier: "premium", monthlyPrice: 99 },
  { name: "Kubernetes Cluster", category: "kubernetes", features: ["Load balancer included"] },
  { name: "Load Balancer", category: "network", specs: { memory: "16 GB" }, currency: "EUR" },
  { name: "Virtual Firewall", category: "network", description: "Keeps what you may not see away" },
  { name: "Private Network Zürich", category: "network", sortOrder: -5 },
];

/** What answers each query better than what is on sale, with values that nothing on sale has. */
const hidden = [
  { name: "Server", sku: "server", category: "secret", tier: "enterprise", currency: "JPY", isPopular: true },
  { name: "Servr", sku: "servr", category: "secret-2", monthlyPrice: 5000 },
  { name: "Kubernetse", sku: "kubernetse" },
  { name: "Loadbalancer", sku: "loadbalancer" },
  { name: "Load", description: "balancer gold server" },
  { name: "Fire and wall", sku: "fire-wall" },
  { name: "16gb", specs: { memory: "16GB" } },
  { name: "Gold", sku: "GOLD", category: "gold", isPopular: true, sortOrder: -99 },
  { name: "Zurich", sku: "zurich" },
  { name: "!!!", sku: "---" },
  { name: "s" },
];
const queries = [
  ...[
    "",
    "server",
    "servr",
    "s",
    "srv",
    "srv-s",
    "SRV-L",
    "kubernetse",
    "loadbalancer",
    "fire wall",
    "16gb",
    "gold",
  ],
  ...[
    "GOLD",
    "server gold",
    "servr gold",
    "zurich",
    "züric",
    "!!!",
    "---",
    "secret",
    "balancer gold server",
    "gol",
  ],
];

let house: House;
let admin: Person;
let customer: Person;
let drafts: any[];
/** What a customer was answered before there was anything to hide. */
let before: Record<string, unknown>;

beforeAll(async () => {
  house = await openHouse({ samples: false });
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
  await Promise.all(shown.map((each) => make(admin, { ...each, status: "active" })));
  await untilFound(admin, {}, shown.length);
  before = await answers();
  const kept = ["draft", "paused", "archived"];
  drafts = await Promise.all(hidden.map((each, i) => make(admin, { ...each, status: kept[i % 3] })));
  await untilFound(admin, {}, shown.length + hidden.length);
});
afterAll(() => house.close());

const filters = [
  "category=secret",
  "tier=enterprise",
  "currency=JPY",
  "minPrice=4000",
  "isPopular=true",
  "status=draft",
];
const paths = [
  ...queries.flatMap((q) => {
    const query = new URLSearchParams({ q, limit: "2" });
    return [`${path}/search?${query}`, `${path}/search/suggest?${q ? query : "q=%20"}`];
  }),
  ...productSorts.map((sort) => `${path}/search?sort=${sort}&limit=2`),
  ...filters.flatMap((filter) => [
    `${path}/search?${filter}`,
    `${path}/search?q=server&${filter}`,
    `${path}?${filter}`,
  ]),
  ...[`${path}/search/categories`, path, "/api/pricing-plans", "/api/pricing-plans?category=secret"],
];

/** All that a customer is answered, page after page. */
async function answers(): Promise<Record<string, unknown>> {
  const told: Record<string, unknown> = {};
  for (const each of paths)
    for (let cursor = ""; ; ) {
      const { status, data, body, headers } = await customer.call("GET", `${each}${cursor}`);
      const { request_id, timestamp, ...meta } = body.meta;
      told[each + cursor] = { status, data, meta, etag: headers.get("etag") };
      if (!meta.has_more) break;
      cursor = `&cursor=${meta.next_cursor}`;
    }
  return told;
}

describe("what customers may not see", () => {
  test("changes nothing that they are answered: no filter, facet, total, page, cursor, suggestion, category or level", async () => {
    expect(Object.keys(before).length).toBeGreaterThan(paths.length);
    expect(await answers()).toEqual(before);
  });

  test("is found by staff, each by its name and sku", async () => {
    for (const { id, name, sku } of drafts)
      for (const q of [name, sku]) expect(idsOf(await search(admin, { q, limit: 100 }))).toContain(id);
  });

  test("is not shown by the cursor of a page that staff were given", async () => {
    for (const sort of ["relevance", ...productSorts]) {
      const { body } = await search(admin, { sort, limit: 1 });
      const answer = await search(customer, { sort, limit: 100, cursor: body.meta.next_cursor });
      expect(answer.status).toBe(200);
      for (const { status } of answer.data) expect(status).toBe("active");
      expect(answer.body.meta.total).toBe(shown.length);
    }
  });

  test("is found once it is on sale, and not any more when it was taken off", async () => {
    const { id } = drafts[0];
    await put(admin, id, { status: "active" });
    await untilFound(customer, { category: "secret" }, 1);
    expect(idsOf(await search(customer, { q: "server" }))[0]).toBe(id);
    expect((await search(customer, { q: "servr" })).body.meta.facets.tier).toContainEqual({
      value: "enterprise",
      count: 1,
    });
    await put(admin, id, { status: "paused" });
    await untilFound(customer, { category: "secret" }, 0);
    expect(await answers()).toEqual(before);
  });
});
