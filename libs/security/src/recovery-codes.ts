import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Crockford's base32: no I, L, O or U, so that people do not misread a letter. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 16 letters of 5 bits make 80 bits. */
const LETTERS = 16;
const GROUP = 4;
const LOOK_ALIKES: Readonly<Record<string, string>> = { I: '1', L: '1', O: '0' };

/** The number of codes that an account gets at once. */
export const RECOVERY_CODES = 10;

/** Returns new codes of 80 random bits each, such as `7K3M-9QXA-0B2C-D4EF`. */
export const newRecoveryCodes = (): string[] => Array.from({ length: RECOVERY_CODES }, newCode);

function newCode(): string {
  // 256 is a multiple of 32, so every letter is equally likely.
  const letters = [...randomBytes(LETTERS)].map((byte) => ALPHABET[byte % ALPHABET.length]!);
  const groups = Array.from({ length: LETTERS / GROUP }, (_, n) => letters.slice(n * GROUP, (n + 1) * GROUP).join(''));
  return groups.join('-');
}

/** Returns the text to seal: the SHA-256 of each code, in order. Random codes of this length need no slow hash. */
export const recoveryCodeHashes = (codes: readonly string[]): string =>
  JSON.stringify(codes.map((code) => hashOf(lettersOf(code))));

/** Returns whether a text has the form of a recovery code. One-time codes have six digits. */
export const isRecoveryCode = (text: string): boolean => text.length < 64 && lettersOf(text).length === LETTERS;

/**
 * Returns the index of a code among the hashes of `recoveryCodeHashes`, or undefined. Ignores letter case, dashes and white space, and accepts
 * letters that look alike. Takes equally long for every code.
 */
export function matchingRecoveryCode(hashes: string, text: string): number | undefined {
  const given = Buffer.from(hashOf(lettersOf(text)));
  const matches = (JSON.parse(hashes) as string[]).map((each) => timingSafeEqual(Buffer.from(each), given));
  const index = matches.indexOf(true);
  return index === -1 ? undefined : index;
}

/** Returns the code as it was generated, without dashes. */
const lettersOf = (text: string) =>
  text
    .toUpperCase()
    .replaceAll(/[\s-]/g, '')
    .replaceAll(/[ILO]/g, (letter) => LOOK_ALIKES[letter]!);

const hashOf = (letters: string) => hash('sha256', letters, 'base64url');
