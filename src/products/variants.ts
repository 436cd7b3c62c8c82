import { begun, begunWrong, same, tolerance, withWrong } from "./closeness.ts";
import { inBoth, type Places } from "./postings.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** Where words stand that may be meant by one, and how near they come to it. */
export type Source = readonly [places: readonly Places[], closeness: number];

/**
 * How far a search goes: all words as they are typed; all of them, cut short, misspelt, run together or apart; cut
 * short and misspelt as well; some of them. The next level counts only where the one before finds nothing.
 */
export const levels = [0, 1, 2, 3] as const;
export type Level = (typeof levels)[number];
export const lastLevel = 3;

/** Where what may be meant by each word stands, by level; each level is worked out once, when it is asked for. */
export function variantsOf(vocabulary: Vocabulary, asked: readonly string[]): (level: Level) => Source[][] {
  const known: Source[][][] = [];
  const variants = (level: Level): Source[][] => {
    if (level === lastLevel) return variants(2);
    known[level] ??= asked.map((word, at) => {
      if (level === 0) return asTyped(vocabulary, word, at === asked.length - 1);
      if (level === 1) return asMeant(vocabulary, asked, at);
      return [...(variants(1)[at] as Source[]), asBegun(vocabulary, word)];
    });
    return known[level];
  };
  return variants;
}

/** Where a word stands as it was typed, or goes on where it is `unfinished`. */
function asTyped({ words, beginnings }: Vocabulary, asked: string, unfinished: boolean): Source[] {
  const whole = words.get(asked);
  const found: Source[] = whole ? [[[whole], same]] : [];
  if (!unfinished) return found;
  // So many words begin with one or two letters that where they stand is kept ready.
  const short = asked.length <= 2;
  const longer = short ? [beginnings.get(asked) ?? []] : words.beginningWith(asked);
  return [...found, [longer, begun]];
}

/** Where one of the words stands cut short, misspelt, run together with its neighbour, or apart. */
function asMeant(vocabulary: Vocabulary, asked: readonly string[], at: number): Source[] {
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

/** Where what goes on from a word stands, but for a letter of it. */
const asBegun = ({ words }: Vocabulary, asked: string): Source => [
  tolerance(asked) === 2 ? words.beginningNear(asked) : [],
  begunWrong,
];

const misspelt = ({ words }: Vocabulary, asked: string): Source[] =>
  words.near(asked, tolerance(asked)).map(([places, wrong]) => [[places], withWrong[wrong] ?? 0] as const);

/** The two words that one may be made of. */
function apart(vocabulary: Vocabulary, asked: string, unfinished: boolean): Source[] {
  const found: Source[] = [];
  for (let at = 1; at < asked.length; at++) {
    const [head, tail] = [asked.slice(0, at), asked.slice(at)];
    const places = areWords(head, tail) ? vocabulary.words.get(head) : undefined;
    if (!places) continue;
    for (const [others] of asTyped(vocabulary, tail, unfinished))
      found.push([others.map((each) => inBoth(places, each)), begun]);
  }
  return found;
}

/** Of three letters or more each, else a word and a number. */
const areWords = (head: string, tail: string) =>
  (head.length >= 3 && tail.length >= 3) || (/\p{L}$/u.test(head) && /^\p{N}/u.test(tail));
