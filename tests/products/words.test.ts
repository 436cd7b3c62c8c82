import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { closeness } from "../../src/products/closeness.ts";
import { piecesOf, plain, termsAsked, termsOf } from "../../src/products/words.ts";

const anyText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.string({ unit: "binary", maxLength: 60 }),
  fc
    .array(
      fc.constantFrom("16", "GB", " ", "-", "Zürich", "ﬁ", "½", "ß", "e\u0301", "日本", "👩‍🚀", "<b>", "İ"),
    )
    .map((parts) => parts.join("")),
);
const letters = fc.string({ unit: fc.constantFrom(..."abcdeé"), maxLength: 9 });

describe("plain text", () => {
  for (const [text, expected] of [
    ["Zürich", "zurich"],
    ["Zu\u0308rich", "zurich"],
    ["ZÜRICH", "zurich"],
    ["Łódź", "lodz"],
    ["Straße", "strasse"],
    ["STRASSE", "strasse"],
    ["ẞ", "ss"],
    ["Ærø Œuvre", "aero oeuvre"],
    ["İstanbul ısı", "istanbul isi"],
    ["ＶＭ　４", "vm 4"],
    ["ﬁle", "file"],
    ["ΟΔΟΣ", "οδοσ"],
    ["οδός", "οδοσ"],
    ["10²", "102"],
    ["ガ", "カ"],
    ["R&D <b>", "r&d <b>"],
    ["", ""],
  ] as const)
    test(`of ${JSON.stringify(text)} is ${JSON.stringify(expected)}`, () => {
      expect(plain(text)).toBe(expected);
    });
});

describe("the words of a text", () => {
  for (const [text, ...expected] of [
    ["Standard VM 4", "standard", "vm", "4"],
    ["16GB", "16", "gb"],
    ["16 GB", "16", "gb"],
    ["L40S, H100; S3", "l40s", "h100", "s3"],
    ["2XLarge", "2", "xlarge"],
    ["VM-STD_4.x", "vm", "std", "4", "x"],
    ["24/7 support", "24", "7", "support"],
    ["bare-metal", "bare", "metal"],
    ["C++ & C#", "c", "c"],
    ["d'Artagnan’s", "d", "artagnan", "s"],
    ["<img src=x onerror=alert(1)>", "img", "src", "x", "onerror", "alert", "1"],
    ["Größe e\u0301", "grosse", "e"],
    ["日本語 サーバー", "日本語", "サーハー"],
    ["½", "1", "2"],
    ["constructor __proto__ toString", "constructor", "proto", "tostring"],
    ["👩‍🚀 !!! …"],
    ["\u0000\u202e\u2028\t"],
    [""],
  ] as const)
    test(`${JSON.stringify(text)}`, () => {
      expect(termsOf(text).words).toEqual(expected);
    });

  test("are the same when they are cut again, whatever they are", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { words } = termsOf(text);
        expect(termsOf(words.join(" ")).words).toEqual(words);
        for (const word of words) expect(plain(word)).toBe(word);
      }),
    );
  });
});

describe("what a text measures", () => {
  for (const [text, ...expected] of [
    ["16 GB", "16gb"],
    ["16GB memory", "16gb"],
    ["16-core", "16core"],
    ["10 Gbit/s, 4 vcpu", "10gbit", "4vcpu"],
    ["1.5 TB", "5tb"],
    ["vcpu 4"],
    ["4, GB"],
    ["4\nGB"],
    ["L40S"],
  ] as const)
    test(`${JSON.stringify(text)}`, () => {
      expect(termsOf(text).measures).toEqual(expected as readonly string[] as string[]);
    });
});

describe("what is asked for", () => {
  test("is each word once, twelve at most", () => {
    expect(termsAsked("vm vm VM Vm 4").words).toEqual(["vm", "4"]);
    const letters = [..."abcdefghijklmnop"];
    expect(termsAsked(letters.join(" ")).words).toEqual(letters.slice(0, 12));
    expect(termsAsked(letters.map((_, i) => `${i} GB`).join(" ")).measures).toHaveLength(12);
  });
});

describe("the pieces of a text", () => {
  test("are its words and what is between, and together the text", () => {
    expect(piecesOf("(Größe) 16GB")).toEqual([
      { text: "(", word: null },
      { text: "Größe", word: "grosse" },
      { text: ") ", word: null },
      { text: "16", word: "16" },
      { text: "GB", word: "gb" },
    ]);
    fc.assert(
      fc.property(anyText, (text) => {
        expect(
          piecesOf(text)
            .map((piece) => piece.text)
            .join(""),
        ).toBe(text);
      }),
    );
  });
});

/** Letters to add, take away, change, or swap with the next, the slow way. */
function edits(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => i + j),
  );
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      const [row, above] = [table[i]!, table[i - 1]!];
      row[j] = Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + Number(a[i - 1] !== b[j - 1]));
    }
  return table[a.length]![b.length]!;
}

describe("how near a word comes to one that was asked for", () => {
  for (const [asked, found, expected] of [
    ["server", "server", 6],
    ["serv", "server", 5],
    ["s", "server", 5],
    ["16", "160", 5],
    ["sever", "server", 4],
    ["servr", "server", 4],
    ["serber", "server", 4],
    ["sevrer", "server", 2],
    ["eserver", "server", 4],
    ["servers", "server", 4],
    ["kubre", "kubernetes", 1],
    ["kurbe", "kubernetes", 1],
    ["kbre", "kubernetes", 0],
    ["ukbern", "kubernetes", 0],
    ["sreevr", "server", 0],
    ["postgersql", "postgresql", 2],
    ["vn", "vm", 0],
    ["dms", "dns", 0],
    ["gup", "gpu", 0],
    ["dsn", "dns", 0],
    ["disc", "disk", 4],
    ["dixc", "disk", 0],
    ["16gb", "26gb", 0],
    ["100", "1000", 5],
    ["100", "101", 0],
    ["h100", "h101", 0],
    ["server", "serve", 4],
    ["server", "se", 0],
    ["constructor", "toString", 0],
    ["a".repeat(200), "a".repeat(199), 0],
  ] as const)
    test(`${asked.slice(0, 20)} and ${found.slice(0, 20)}: ${expected}`, () => {
      expect(closeness(found, asked)).toBe(expected);
    });

  test("counts what is wrong as the slow way does", () => {
    fc.assert(
      fc.property(letters, letters, (asked, found) => {
        const [wrong, near] = [edits(asked, found), closeness(found, asked)];
        if (near === 4 || near === 2) expect(wrong).toBe(near === 4 ? 1 : 2);
        if (near === 0 && asked.length >= 5) expect(wrong).toBeGreaterThan(2);
      }),
      { numRuns: 2000 },
    );
  });
});
