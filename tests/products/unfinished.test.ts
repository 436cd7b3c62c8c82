import { describe, expect, test } from "bun:test";
import { foundAmong, openShelf, type Promised, searchIn, shelved, suggestIn } from "./shelf.ts";

/* Words that are misspelt before they are at their end. */

const engine = { name: "Managed PostgreSQL" };
const cluster = { name: "Kubernetes Cluster" };
const balancer = { name: "Load Balancer" };

const promises: Promised[] = [
  ["two letters may have changed places", "postgers", [engine, cluster], engine.name],
  ["a letter may be missing", "kubrn", [engine, cluster], cluster.name],
  ["a letter may be too many", "kubeern", [engine, cluster], cluster.name],
  ["a letter may be another", "kubwrn", [engine, cluster], cluster.name],
  ["the last letter may be another", "postgrew", [engine, cluster], engine.name],
  ["it need not be the last word", "postgers mnaged", [engine, { name: "Managed Volume" }], engine.name],
  ["the first letter is right", "lubern", [engine, cluster]],
  ["more than a letter is not forgiven", "kbnrn", [engine, cluster]],
  ["four letters are too few", "blan", [balancer]],
  ["numbers are never misspelt", "kubrn1", [{ name: "Kubernetes1" }]],
  [
    "they count only where nothing else is found",
    "serber",
    [{ name: "Serverless", isPopular: true }, { name: "Server" }],
    "Server",
  ],
];

describe("of words that are misspelt and unfinished:", () => {
  for (const [what, query, given, ...names] of promises)
    test(what, () => {
      expect(foundAmong(given, query)).toEqual([names, names]);
    });

  test("a walk by cursor meets each product once", () => {
    const products = Array.from({ length: 10 }, (_, i) => shelved({ ...cluster, sortOrder: i % 3 }));
    const shelf = openShelf(products);
    const met: string[] = [];
    for (let cursor: string | null = null, more = true; more; ) {
      const { items, meta } = searchIn(shelf, "kubrn", { limit: 4, cursor });
      met.push(...items.map(({ id }) => id));
      // Those that answer better come too late for this walk.
      shelf.put(shelved({ name: "Kubrn" }));
      [cursor, more] = [meta.next_cursor, meta.has_more];
    }
    expect(met).toEqual(products.toSorted((a, b) => a.sortOrder - b.sortOrder).map(({ id }) => id));
  });

  test("a suggestion marks the word that was meant", () => {
    const shelf = openShelf([engine, cluster, balancer].map((each) => shelved(each)));
    const marked = (q: string) => suggestIn(shelf, q).map(({ highlight }) => highlight);
    expect(marked("mangaed postgers")).toEqual(["<mark>Managed</mark> <mark>PostgreSQL</mark>"]);
    expect(marked("balnc")).toEqual(["Load <mark>Balancer</mark>"]);
  });
});
