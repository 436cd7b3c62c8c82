import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { highlight } from "../../src/products/suggest.ts";
import { termsAsked } from "../../src/products/words.ts";
import { openShelf, shelved, suggestIn } from "./shelf.ts";

const hostile = `<img src=x onerror=alert(1)> & "co"`;

/** The text that HTML shows. */
const shown = (html: string) =>
  html
    .replace(/<\/?mark>/g, "")
    .replace(
      /&(lt|gt|quot|#39|amp);/g,
      (_, name) => ({ lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" })[name as "lt"],
    );

describe("a highlight", () => {
  for (const [text, query, expected] of [
    ["Standard VM 4", "stand", "<mark>Stand</mark>ard VM 4"],
    ["Standard VM 4", "vm stand", "<mark>Stand</mark>ard <mark>VM</mark> 4"],
    ["Standard VM 4", "VM4", "Standard VM 4"],
    ["Standard VM 4", "STANDARD VM 4", "<mark>Standard</mark> <mark>VM</mark> <mark>4</mark>"],
    ["Standard VM 4", "4", "Standard VM <mark>4</mark>"],
    ["Standard VM 4", "tandard", "<mark>Standard</mark> VM 4"],
    ["Standard VM 4", "ndard", "Standard VM 4"],
    ["VM VMware", "vm", "<mark>VM</mark> <mark>VM</mark>ware"],
    ["Kubernetes", "kubrenetes", "<mark>Kubernetes</mark>"],
    ["Server Serve", "serve", "<mark>Serve</mark>r <mark>Serve</mark>"],
    ["Server Sever", "sever", "Server <mark>Sever</mark>"],
    ["Zürich", "zur", "<mark>Zür</mark>ich"],
    ["Zu\u0308rich", "zur", "<mark>Zu\u0308rich</mark>"],
    ["Zurich", "zür", "<mark>Zur</mark>ich"],
    ["Straße", "str", "<mark>Straße</mark>"],
    ["16GB", "16 g", "<mark>16</mark><mark>G</mark>B"],
    ["COM-ALT-1", "com-al", "<mark>COM</mark>-<mark>AL</mark>T-1"],
    ["サーバー 東京", "サー", "<mark>サー</mark>バー 東京"],
    ["A", "", "A"],
    ["<b>A</b>", "a", "&lt;b&gt;<mark>A</mark>&lt;/b&gt;"],
    ["<mark>A</mark>", "mark", "&lt;<mark>mark</mark>&gt;A&lt;/<mark>mark</mark>&gt;"],
    ["&lt;", "lt", "&amp;<mark>lt</mark>;"],
    ["'\"&<>", "<", "&#39;&quot;&amp;&lt;&gt;"],
    [hostile, "img co", "&lt;<mark>img</mark> src=x onerror=alert(1)&gt; &amp; &quot;<mark>co</mark>&quot;"],
  ] as const)
    test(`of ${text} for ${query}`, () => {
      expect(highlight(text, termsAsked(query).words).html).toBe(expected);
    });

  test("is the text, marked and safe, whatever text and query are", () => {
    const pieces = [
      "<",
      ">",
      "&",
      "&lt;",
      '"',
      "'",
      "<mark>",
      "</mark>",
      "<script>",
      "Zürich",
      "ß",
      "16GB",
      "e\u0301",
      "ﬁ",
      " ",
    ];
    const anyText = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc
        .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 4 })), { maxLength: 8 })
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(anyText, anyText, (text, query) => {
        for (const asked of [query, text, text.slice(0, 5)]) {
          const { html } = highlight(text, termsAsked(asked).words);
          expect(shown(html)).toBe(text);
          // Nothing is left that begins a tag, an attribute or an entity but what is ours.
          expect(html.replace(/<mark>[^<>]+<\/mark>/g, "")).not.toMatch(/[<>"']|&(?!(lt|gt|quot|#39|amp);)/);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe("a suggestion", () => {
  test("shows its name or its sku, whatever they are and whatever is typed", () => {
    const word = fc.constantFrom(
      "VM",
      "Zürich",
      "<b>",
      "&amp;",
      "e\u0301",
      "Straße",
      "16GB",
      hostile,
      "日本",
      "👩‍🚀",
    );
    const name = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(" "));
    const typed = fc.tuple(name, fc.nat(20)).map(([text, length]) => text.slice(0, length) || "v");
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), typed, (names, q) => {
        const shelf = openShelf(names.map((each) => shelved({ name: each })));
        for (const { name, sku, highlight } of suggestIn(shelf, q))
          expect([name, sku]).toContain(shown(highlight));
      }),
      { numRuns: 200 },
    );
  });
});
