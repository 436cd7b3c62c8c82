import type { Suggestion } from "../../schema/products/search.ts";
import type { Catalogue } from "./catalogue.ts";
import { begun, closeness } from "./closeness.ts";
import type { Sight } from "./filters.ts";
import { find, lineUp } from "./search.ts";
import { piecesOf, termsAsked } from "./words.ts";

/** The products whose names or skus go on as somebody is typing, the best first. */
export function suggest(catalogue: Catalogue, q: string, limit: number, sight: Sight): Suggestion[] {
  const { words } = termsAsked(q);
  const found = find(catalogue, q, sight, { where: "names" });
  return lineUp(catalogue, found, "relevance", false)
    .slice(0, limit)
    .map(({ entry: { product } }) => {
      const { id, sku, name, category } = product;
      const [byName, bySku] = [highlight(name, words), highlight(sku, words)];
      return { id, sku, name, category, highlight: bySku.meant > byName.meant ? bySku.html : byName.html };
    });
}

/** A text as HTML with what answers the words in `<mark>`, and how many of them it answers (`meant`). */
export function highlight(text: string, words: readonly string[]): { html: string; meant: number } {
  const pieces = piecesOf(text);
  const lengths = pieces.map(() => 0);
  let meant = 0;
  for (const asked of words) {
    const near = pieces.map(({ word }) => (word === null ? 0 : closeness(word, asked)));
    // What looks like a misspelling is meant only where nothing better is there.
    const least = Math.min(begun, Math.max(0, ...near));
    if (least === 0) continue;
    meant++;
    pieces.forEach((piece, i) => {
      const length = (near[i] as number) < least ? 0 : typedLength(piece, asked);
      lengths[i] = Math.max(lengths[i] as number, length);
    });
  }
  return { html: pieces.map(({ text }, i) => marked(text, lengths[i] as number)).join(""), meant };
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
