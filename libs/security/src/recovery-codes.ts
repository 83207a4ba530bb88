import { timingSafeEqual } from 'node:crypto';
import { crockfordHash, crockfordLetters, randomCrockford } from './crockford-text.js';

/** 16 letters of 5 bits make 80 bits. */
const LETTERS = 16;
const GROUPS = 4;

/** The number of codes that an account gets at once. */
export const RECOVERY_CODES = 10;

/** Returns new codes of 80 random bits each, such as `7K3M-9QXA-0B2C-D4EF`. */
export const newRecoveryCodes = (): string[] => Array.from({ length: RECOVERY_CODES }, () => randomCrockford(GROUPS));

/** Returns the text to seal: the SHA-256 of each code, in order. Random codes of this length need no slow hash. */
export const recoveryCodeHashes = (codes: readonly string[]): string =>
  JSON.stringify(codes.map((code) => crockfordHash(crockfordLetters(code))));

/** Returns whether a text has the form of a recovery code. One-time codes have six digits. */
export const isRecoveryCode = (text: string): boolean => text.length < 64 && crockfordLetters(text).length === LETTERS;

/**
 * Returns the index of a code among the hashes of `recoveryCodeHashes`, or undefined. Ignores letter case, dashes and white space, and accepts
 * letters that look alike. Takes equally long for every code.
 */
export function matchingRecoveryCode(hashes: string, text: string): number | undefined {
  const given = Buffer.from(crockfordHash(crockfordLetters(text)));
  const matches = (JSON.parse(hashes) as string[]).map((each) => timingSafeEqual(Buffer.from(each), given));
  const index = matches.indexOf(true);
  return index === -1 ? undefined : index;
}
