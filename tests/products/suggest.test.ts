import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse, type Person } from "../house.ts";
import { expectEnvelope, expectInvalid } from "../http/answers.ts";
import { make, remove } from "./products.ts";
import { untilFound } from "./shelf.ts";

const hostile = `<img src=x onerror=alert(1)> & "co"`;

let house: House;
let admin: Person;
let customer: Person;
const given = [
  { name: "Standard VM 4", sku: "VM-STD-4", category: "compute" },
  { name: "Standard VM 8", sku: "VM-STD-8", category: "compute", isPopular: true },
  { name: "Kubernetes Cluster", sku: "K8S-1", category: "kubernetes" },
  { name: "Volume Zürich", sku: "VOL-ZUE", description: "Standard for clusters" },
  { name: hostile, sku: "XSS-1" },
  { name: "Standard Draft", sku: "DRAFT-1", status: "draft" },
];
beforeAll(async () => {
  house = await openHouse({ samples: false });
  [admin, customer] = await Promise.all([house.admin(), house.signUp()]);
  await Promise.all(given.map((each, i) => make(admin, { status: "active", sortOrder: i, ...each })));
  await untilFound(admin, {}, given.length);
});
afterAll(() => house.close());

const suggest = (person: Person, q: string, limit?: number | string) =>
  person.call(
    "GET",
    `/api/products/search/suggest?${new URLSearchParams({ q, ...(limit === undefined ? {} : { limit: `${limit}` }) })}`,
  );
const skusFor = async (q: string, person = customer) =>
  (await suggest(person, q)).data.map(({ sku }: any) => sku);

describe("GET /products/search/suggest", () => {
  test("answers id, sku, name, category and highlight, the best first, all at once", async () => {
    const answer = await suggest(customer, "stand");
    expect(answer.status).toBe(200);
    expectEnvelope(answer, { list: true });
    expect(answer.body.meta).toMatchObject({
      total: 2,
      page: 1,
      per_page: 2,
      has_more: false,
      next_cursor: null,
    });
    expect(answer.data).toEqual([
      {
        id: expect.any(String),
        sku: "VM-STD-8",
        name: "Standard VM 8",
        category: "compute",
        highlight: "<mark>Stand</mark>ard VM 8",
      },
      {
        id: expect.any(String),
        sku: "VM-STD-4",
        name: "Standard VM 4",
        category: "compute",
        highlight: "<mark>Stand</mark>ard VM 4",
      },
    ]);
  });

  for (const [q, ...skus] of [
    ["s", "VM-STD-8", "VM-STD-4", "XSS-1"],
    ["k", "K8S-1"],
    ["standard vm 4", "VM-STD-4"],
    ["vm-std", "VM-STD-8", "VM-STD-4"],
    ["VM-STD-4", "VM-STD-4"],
    ["k8", "K8S-1"],
    ["kubernets", "K8S-1"],
    ["kluster", "K8S-1"],
    ["zuri", "VOL-ZUE"],
    ["ZÜRI", "VOL-ZUE"],
    ["cluster kub", "K8S-1"],
    ["stnadard", "VM-STD-8", "VM-STD-4"],
    ["img", "XSS-1"],
    ["<", "XSS-1"],
    ["draft"],
    ["nothingness"],
    ["compute"],
  ] as const)
    test(`finds ${skus.join(", ") || "nothing"} for ${q}, by names and skus alone`, async () => {
      expect(await skusFor(q)).toEqual([...skus]);
    });

  test("shows staff what is not on sale, too", async () => {
    expect(await skusFor("draft", admin)).toEqual(["DRAFT-1"]);
  });

  test("marks the sku where that answers more than the name", async () => {
    const highlightFor = async (q: string) => (await suggest(customer, q)).data[0].highlight;
    expect(await highlightFor("vm-std-4")).toBe("<mark>VM</mark>-<mark>STD</mark>-<mark>4</mark>");
    expect(await highlightFor("vm 8")).toBe("Standard <mark>VM</mark> <mark>8</mark>");
    expect(await highlightFor("k8")).toBe("<mark>K8</mark>S-1");
  });

  test("answers hostile names as text", async () => {
    const [{ name, highlight }] = (await suggest(customer, "onerror")).data;
    expect([name, highlight]).toEqual([
      hostile,
      "&lt;img src=x <mark>onerror</mark>=alert(1)&gt; &amp; &quot;co&quot;",
    ]);
  });

  test("answers ten where no limit is given, one to twenty where it is", async () => {
    const made = await Promise.all(
      Array.from({ length: 25 }, () => make(admin, { name: "Crowd", status: "active" })),
    );
    await untilFound(customer, { q: "crowd" }, 25);
    for (const [limit, count] of [
      [undefined, 10],
      [1, 1],
      [20, 20],
    ] as const)
      expect((await suggest(customer, "crowd", limit)).data).toHaveLength(count);
    for (const limit of [0, 21, -1, 1.5, "", "ten"])
      expectInvalid(await suggest(customer, "crowd", limit), "query/limit");
    await Promise.all(made.map(({ id }) => remove(admin, id)));
    await untilFound(customer, { q: "crowd" }, 0);
  });

  for (const [query, ...pointers] of [
    ["", "query/q"],
    ["q=", "query/q"],
    [`q=${"x".repeat(201)}`, "query/q"],
    ["q=a&page=2", "query/page"],
    ["q=a&cursor=x", "query/cursor"],
    ["q=a&category=compute", "query/category"],
  ] as const)
    test(`refuses ?${query.slice(0, 30)}`, async () => {
      expectInvalid(await customer.call("GET", `/api/products/search/suggest?${query}`), ...pointers);
    });
});
