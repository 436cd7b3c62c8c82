/* How text is cut into words for the search: in lower case, without accents, "16GB" as "16" and "gb". */

const word = /\p{N}+|\p{L}[\p{L}\p{M}\p{N}]*/gu;

/** What people type for letters that have no accent to be taken away. */
const typed: Record<string, string> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  þ: "th",
  ł: "l",
  ı: "i",
  ς: "σ",
};
const untyped = new RegExp(`[${Object.keys(typed).join("")}]`, "g");

/** A text in lower case and without accents. */
export const plain = (text: string) =>
  text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(untyped, (letter) => typed[letter] as string);

const measure = /(?<![\p{L}\p{N}])(\p{N}+)[ -]?(\p{L}[\p{L}\p{N}]*)/gu;

/** What a text says: its words, and what they measure, "16gb" for "16 GB". */
export interface Terms {
  words: readonly string[];
  measures: readonly string[];
}

/** The terms of a text, in its order. */
export function termsOf(text: string): Terms {
  const written = plain(text);
  return {
    words: written.match(word) ?? [],
    measures: Array.from(written.matchAll(measure), ([, number, unit]) => `${number}${unit}`),
  };
}

const mostAsked = 12;

/** What a search asks for: each term once, twelve at most. */
export function termsAsked(text: string): Terms {
  const { words, measures } = termsOf(text);
  const once = (terms: readonly string[]) => [...new Set(terms)].slice(0, mostAsked);
  return { words: once(words), measures: once(measures) };
}

/** A text in pieces: its words, each with its plain form, and what stands between them (null). */
export function piecesOf(text: string): { text: string; word: string | null }[] {
  const pieces = [];
  let end = 0;
  for (const match of text.matchAll(word)) {
    if (match.index > end) pieces.push({ text: text.slice(end, match.index), word: null });
    pieces.push({ text: match[0], word: plain(match[0]) });
    end = match.index + match[0].length;
  }
  return end < text.length ? [...pieces, { text: text.slice(end), word: null }] : pieces;
}
