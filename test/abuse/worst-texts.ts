import { bytesOf } from '@keyfold/domain';
import fc from 'fast-check';

/** Letters of one to four bytes of UTF-8, and those that an answer escapes. */
const LETTERS = ['a', 'ä', '語', '😀', '"', '\\', '\0', '\x1f', '\b', '<', '&', '\u2028'];
const PLAIN_LETTERS = LETTERS.filter((letter) => letter !== '\\');

/** A text that begins like this and takes exactly so many bytes of an answer. */
export type WorstText = (start: string, bytes: number) => string;

/** `plain` ones have only letters that a base path and the comment of a key keep as they are. */
export type WorstTexts = Readonly<{ any: WorstText; plain: WorstText }>;

/** Makes texts of one kind of letter or of several; which ones, the seed decides. */
export function worstTexts(seed: number): WorstTexts {
  return { any: textsOf(LETTERS, seed), plain: textsOf(PLAIN_LETTERS, seed) };
}

function textsOf(letters: readonly string[], seed: number): WorstText {
  const one = fc.constantFrom(...letters).map((letter) => [letter]);
  const several = fc.shuffledSubarray([...letters], { minLength: 2 });
  const palettes = fc.sample(fc.oneof(one, several), { seed, numRuns: 1_000 });
  let turn = 0;
  return (start, bytes) => filled(start, palettes[turn++ % palettes.length]!, bytes);
}

function filled(start: string, palette: readonly string[], bytes: number): string {
  const round = palette.join('');
  const rounds = Math.floor((bytes - bytesOf(start)) / bytesOf(round));
  const text = start + round.repeat(rounds);
  return text + 'a'.repeat(bytes - bytesOf(text));
}
