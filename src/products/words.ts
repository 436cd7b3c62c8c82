/* How text is cut into words for the search: in lower case, without accents, "16GB" as "16" and "gb". */

const word = /\p{N}+|\p{L}[\p{L}\p{M}\p{N}]*/gu;

/** A text in lower case and without accents. */
export const plain = (text: string) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** The words of a text, in its order. */
export const wordsOf = (text: string): string[] => text.match(word)?.map(plain) ?? [];

const maxWords = 12;

/**
 * The words that are asked for: each once, twelve at most. A single `letter` at the end is the beginning of so many
 * that it stands apart.
 */
export function wordsAsked(text: string): { words: string[]; letter: string | null } {
  const words = [...new Set(wordsOf(text))].slice(0, maxWords);
  const last = words.at(-1) ?? "";
  return /^\p{L}$/u.test(last) ? { words: words.slice(0, -1), letter: last } : { words, letter: null };
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

/** Letters of a word that may be wrong. Numbers mean what they say. */
export function tolerance(word: string): number {
  if (/\p{N}/u.test(word) || word.length < 4) return 0;
  return word.length < 5 ? 1 : 2;
}

/** How a word of a product answers one that was asked for: 4 the same, 3 its beginning, 2 or 1 with one or two letters wrong, 0 not at all. */
export function closeness(found: string, asked: string): number {
  if (found === asked) return 4;
  if (found.startsWith(asked)) return 3;
  const wrong = distance(found, asked);
  return wrong <= tolerance(asked) ? 3 - wrong : 0;
}

/** Letters to add, take away or change to make one word of another (Levenshtein); 3 stands for more than two. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3;
  let above = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (above[j - 1] as number) + Number(a[i - 1] !== b[j - 1]);
      row.push(Math.min(changed, (above[j] as number) + 1, (row[j - 1] as number) + 1));
    }
    above = row;
  }
  return Math.min(3, above[b.length] as number);
}
