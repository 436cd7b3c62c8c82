import type { Suggestion } from "../../schema/products/search.ts";
import type { Catalogue } from "./catalogue.ts";
import { type Accepts, find, lineUp } from "./search.ts";
import { closeness, piecesOf, wordsAsked } from "./words.ts";

/** The products whose names or skus go on as somebody is typing, the best first. */
export function suggest(catalogue: Catalogue, q: string, limit: number, accepts: Accepts): Suggestion[] {
  const { words, letter } = wordsAsked(q);
  const asked = letter ? [...words, letter] : words;
  const found = find(catalogue, q, accepts, { fields: ["name", "sku"] });
  return lineUp(catalogue, found, "relevance", false)
    .slice(0, limit)
    .map(({ entry: { product } }) => {
      const { id, sku, name, category } = product;
      return {
        id,
        sku,
        name,
        category,
        highlight: highlight(name, asked) ?? highlight(sku, asked) ?? escaped(name),
      };
    });
}

/** A text as HTML with what answers the words in `<mark>`; null where nothing does. */
export function highlight(text: string, words: readonly string[]): string | null {
  const pieces = piecesOf(text);
  const lengths = pieces.map(() => 0);
  for (const asked of words) {
    const near = pieces.map(({ word }) => (word === null ? 0 : closeness(word, asked)));
    // What looks like a misspelling is meant only where nothing better is there.
    const least = Math.min(3, Math.max(...near));
    if (least === 0) continue;
    pieces.forEach((piece, i) => {
      const length = (near[i] as number) < least ? 0 : typedLength(piece, asked);
      lengths[i] = Math.max(lengths[i] as number, length);
    });
  }
  if (lengths.every((length) => length === 0)) return null;
  return pieces.map(({ text }, i) => marked(text, lengths[i] as number)).join("");
}

/** Letters of a piece that were typed: the whole of it where it was misspelt, or where its plain form is not as long. */
const typedLength = ({ text, word }: { text: string; word: string | null }, asked: string): number =>
  word?.startsWith(asked) && word.length === text.length ? asked.length : text.length;

function marked(text: string, length: number): string {
  const [head, tail] = [escaped(text.slice(0, length)), escaped(text.slice(length))];
  return length === 0 ? tail : `<mark>${head}</mark>${tail}`;
}

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => entities[sign] as string);
