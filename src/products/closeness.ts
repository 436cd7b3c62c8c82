/* How near a word of a product comes to one that was asked for, from 6 (the same) to 0 (another word). */

export const same = 6;
/** It goes on where the one that was asked for ends. */
export const begun = 5;
/** By how many of its letters are wrong. */
export const withWrong = [same, 4, 2] as const;

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
  if (may === 0 || Math.abs(found.length - asked.length) > may) return 0;
  const wrong = wrongLetters(found, asked);
  return wrong > may ? 0 : (withWrong[wrong] ?? 0);
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
