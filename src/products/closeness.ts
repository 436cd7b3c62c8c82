/* How near a word of a product comes to one that was asked for, from 6 (the same) to 0 (another word). */

export const same = 6;
/** It goes on where the one that was asked for ends. */
export const begun = 5;
/** By how many of its letters are wrong. */
export const withWrong = [same, 4, 2] as const;
/** It goes on where the one that was asked for ends, which has a letter wrong. */
export const begunWrong = 1;

/** Letters of a word that may be wrong; numbers mean what they say. */
export function tolerance(asked: string): 0 | 1 | 2 {
  if (asked.length < 4 || asked.length > 40 || /\p{N}/u.test(asked)) return 0;
  return asked.length < 5 ? 1 : 2;
}

/** How near a word comes to one that was asked for. */
export function closeness(found: string, asked: string): number {
  if (found === asked) return same;
  if (found.startsWith(asked)) return begun;
  const may = tolerance(asked);
  if (may === 0) return 0;
  const alike = Math.abs(found.length - asked.length) <= may;
  const wrong = alike ? wrongLetters(found, asked) : Number.POSITIVE_INFINITY;
  if (wrong <= may) return withWrong[wrong] ?? 0;
  return beginsNear(found, asked) ? begunWrong : 0;
}

/** Whether a word begins like one of five letters or more that was asked for, but for a letter that is not the first. */
export function beginsNear(found: string, asked: string): boolean {
  if (tolerance(asked) < 2) return false;
  let right = 0;
  while (right < asked.length && found[right] === asked[right]) right++;
  return right > 0 && mended(asked, right, [found.charAt(right)]).some((meant) => found.startsWith(meant));
}

/** What may be meant where the letter at a place is wrong: it is too many, belongs behind the next, or one of `letters` is missing before it or should stand there. */
export function mended(asked: string, at: number, letters: readonly string[]): string[] {
  const [right, wrong, rest] = [asked.slice(0, at), asked.slice(at, at + 1), asked.slice(at + 1)];
  if (rest === "") return [right];
  const swapped = `${rest.slice(0, 1)}${wrong}${rest.slice(1)}`;
  const others = letters.flatMap((letter) => [letter + wrong + rest, letter + rest]);
  return [rest, swapped, ...others].map((end) => right + end);
}

/** Letters to add, take away or change to make one word of another (Levenshtein). */
function wrongLetters(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (above[j - 1] as number) + Number(a[i - 1] !== b[j - 1]);
      row.push(Math.min(changed, (above[j] as number) + 1, (row[j - 1] as number) + 1));
    }
    above = row;
  }
  return above[b.length] as number;
}
