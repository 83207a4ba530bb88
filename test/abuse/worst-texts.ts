import { bytesOf } from '@keyfold/domain';
import fc from 'fast-check';

/** Characters of one to four bytes in UTF-8, and those that JSON escapes. */
const LETTERS = ['a', 'ä', '語', '😀', '"', '\\', '\0', '\x1f', '\b', '<', '&', '\u2028'];
const PLAIN_LETTERS = LETTERS.filter((letter) => letter !== '\\');

/** Returns a text that starts with `start` and takes exactly `bytes` bytes in an answer. */
export type WorstText = (start: string, bytes: number) => string;

/** Texts of `plain` contain only characters that base paths and key comments keep unchanged. */
export type WorstTexts = Readonly<{ any: WorstText; plain: WorstText }>;

/** Creates texts of one or several characters, which the seed selects. */
export function worstTexts(seed: number): WorstTexts {
  return { any: textsOf(LETTERS, seed), plain: textsOf(PLAIN_LETTERS, seed) };
}

function textsOf(letters: readonly string[], seed: number): WorstText {
  const one = fc.constantFrom(...letters).map((letter) => [letter]);
  const several = fc.shuffledSubarray([...letters], { minLength: 2 });
  const palettes = fc.sample(fc.oneof(one, several), { seed, numRuns: 1_000 });
  let round = 0;
  return (start, bytes) => filled(start, palettes[round++ % palettes.length]!, bytes);
}

function filled(start: string, palette: readonly string[], bytes: number): string {
  const round = palette.join('');
  const rounds = Math.floor((bytes - bytesOf(start)) / bytesOf(round));
  const text = start + round.repeat(rounds);
  return text + 'a'.repeat(bytes - bytesOf(text));
}
