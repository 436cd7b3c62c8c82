import type { SampleProduct } from "./generator.ts";

const letters = "abcdefghijklmnopqrstuvwxyz";

/** The name of a product with one or two edits (a letter too few, too many, another, or two swapped) in a word of five letters and more. */
export function misspelt({ name }: Pick<SampleProduct, "name">, random: () => number): string {
  const words = name.split(" ");
  const long = words.flatMap((word, at) => (/^\p{L}{5,}$/u.test(word) ? [at] : []));
  const at = long[Math.floor(random() * long.length)] as number;
  let word = words[at] as string;
  for (let edits = 1 + Math.floor(random() * 2); edits > 0; edits--) word = edited(word, random);
  return words.with(at, word).join(" ");
}

function edited(word: string, random: () => number): string {
  const at = Math.floor(random() * word.length);
  const letter = letters[Math.floor(random() * letters.length)] as string;
  const [head, own, next, tail] = [word.slice(0, at), word[at], word[at + 1] ?? "", word.slice(at + 2)];
  const ways = [
    head + next + tail,
    head + letter + own + next + tail,
    head + letter + next + tail,
    head + next + own + tail,
  ];
  return ways[Math.floor(random() * ways.length)] as string;
}
