import { timingSafeEqual } from 'node:crypto';
import { crockfordHash, crockfordLetters, randomCrockford } from './crockford-text.js';

/** Five groups of four letters make 100 bits. */
const GROUPS = 5;
const FORM = /^[0-9A-HJKMNP-TV-Z]{20}$/;
/** Longer texts are not read: white space and dashes at most double the letters of a typed app password. */
const LONGEST = 64;

/** An app password that does not exist yet, and the hash to store for it. */
export type NewAppPassword = Readonly<{ text: string; hash: string }>;

/** Returns an app password of 100 random bits, such as `7k3m-9qxa-0b2c-d4ef-5gh6`. */
export function newAppPassword(): NewAppPassword {
  const text = randomCrockford(GROUPS).toLowerCase();
  return { text, hash: crockfordHash(crockfordLetters(text)) };
}

/**
 * Returns the hash of a text that has the form of an app password, and undefined for every other text. Ignores letter case, dashes and
 * white space, and accepts letters that look alike.
 */
export function appPasswordHash(text: string): string | undefined {
  if (text.length > LONGEST) return undefined;
  const letters = crockfordLetters(text);
  return FORM.test(letters) ? crockfordHash(letters) : undefined;
}

/** Compares two hashes of app passwords in a time that does not depend on where they differ. */
export const isSameAppPasswordHash = (a: string, b: string): boolean => timingSafeEqual(Buffer.from(a), Buffer.from(b));
