import { hash, randomInt } from 'node:crypto';

/** Crockford's base32: no I, L, O or U, so that people do not misread a letter. A letter has 5 bits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const GROUP = 4;
const LOOK_ALIKES: Readonly<Record<string, string>> = { I: '1', L: '1', O: '0' };

const randomGroup = () => Array.from({ length: GROUP }, () => ALPHABET[randomInt(ALPHABET.length)]!).join('');

/** Returns a random text for people to type: groups of four letters with dashes between them, 20 bits per group. */
export const randomCrockford = (groups: number): string => Array.from({ length: groups }, randomGroup).join('-');

/** Returns the letters of a text as they were generated, without dashes. Ignores letter case and white space, and accepts look-alikes. */
export const crockfordLetters = (text: string): string =>
  text
    .toUpperCase()
    .replaceAll(/[\s-]/g, '')
    .replaceAll(/[ILO]/g, (letter) => LOOK_ALIKES[letter]!);

/** Returns the SHA-256 of letters, in base64url. Random letters of at least 80 bits need no slow hash. */
export const crockfordHash = (letters: string): string => hash('sha256', letters, 'base64url');
