import { begun, same, tolerance, withWrong } from "./closeness.ts";
import { type Places, placeOf, productAt, weightAt } from "./postings.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** Where what is meant by a word stands, and how near that comes to it. */
export type Source = readonly [places: Places, closeness: number];

/** Where a word stands as it was typed, or goes on where it is `unfinished`. */
export function asTyped({ words, beginnings }: Vocabulary, asked: string, unfinished: boolean): Source[] {
  const whole = words.get(asked);
  const found: Source[] = whole ? [[whole, same]] : [];
  if (!unfinished) return found;
  // So many words begin with one or two letters that where they stand is kept ready.
  const short = asked.length <= 2;
  const longer = short ? [beginnings.get(asked) ?? []] : words.beginningWith(asked);
  return found.concat(longer.map((places) => [places, begun] as const));
}

/** Where one of the words stands cut short, misspelt, run together with its neighbour, or apart. */
export function asMeant(vocabulary: Vocabulary, asked: readonly string[], at: number): Source[] {
  const word = asked[at] as string;
  const [before, after] = [asked[at - 1], asked[at + 1]];
  const last = after === undefined;
  const canBeCutShort = word.length > 2 && !/\p{N}/u.test(word);
  return [
    ...asTyped(vocabulary, word, last || canBeCutShort),
    ...misspelt(vocabulary, word),
    ...(before === undefined ? [] : asTyped(vocabulary, before + word, last)),
    ...(last ? [] : asTyped(vocabulary, word + after, at + 2 === asked.length)),
    ...apart(vocabulary, word, last),
  ];
}

const misspelt = ({ words }: Vocabulary, asked: string): Source[] =>
  words.near(asked, tolerance(asked)).map(([places, wrong]) => [places, withWrong[wrong] ?? 0] as const);

/** The two words that one may be made of. */
function apart(vocabulary: Vocabulary, asked: string, unfinished: boolean): Source[] {
  const found: Source[] = [];
  for (let at = 1; at < asked.length; at++) {
    const [head, tail] = [asked.slice(0, at), asked.slice(at)];
    const places = areWords(head, tail) && vocabulary.words.get(head);
    if (places)
      for (const [others] of asTyped(vocabulary, tail, unfinished))
        found.push([inBoth(places, others), begun]);
  }
  return found;
}

/** Of three letters or more each, else a word and a number. */
const areWords = (head: string, tail: string) =>
  (head.length >= 3 && tail.length >= 3) || (/\p{L}$/u.test(head) && /^\p{N}/u.test(tail));

/** Where the products are that stand in both lists, with the smaller weight. */
function inBoth(some: Places, others: Places): Places {
  const both: number[] = [];
  let i = 0;
  for (const place of some) {
    while (i < others.length && productAt(others[i] as number) < productAt(place)) i++;
    const other = others[i];
    if (other !== undefined && productAt(other) === productAt(place))
      both.push(placeOf(productAt(place), Math.min(weightAt(place), weightAt(other))));
  }
  return both;
}
