import { hash, randomInt, timingSafeEqual } from 'node:crypto';

/*
 * App passwords, recovery codes and setup codes: random texts that people type. Reading them ignores letter case, dashes and white space, and accepts
 * letters that look alike. They are stored as a plain SHA-256, because 80 random bits need no slow hash.
 */

/** Crockford's base32: no I, L, O or U, so that people do not misread a letter. A letter has 5 bits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const GROUP_LETTERS = 4;
const LOOK_ALIKES: Readonly<Record<string, string>> = { I: '1', L: '1', O: '0' };
/** 100 bits. */
const APP_PASSWORD_GROUPS = 5;
/** 80 bits. */
const RECOVERY_CODE_GROUPS = 4;
/** The bytes of a setup code, of which each gives a letter: 80 bits. */
export const SETUP_CODE_BYTES = 16;
/** In characters. Longer texts are not read: white space and dashes at most double the letters of a typed secret. */
const LONGEST = 64;
const APP_PASSWORD = /^[0-9A-HJKMNP-TV-Z]{20}$/;

/** Returns an app password such as `7k3m-9qxa-0b2c-d4ef-5gh6`, and the hash to store for it. */
export function newAppPassword(): Readonly<{ text: string; hash: string }> {
  const text = randomText(APP_PASSWORD_GROUPS).toLowerCase();
  return { text, hash: hashOf(lettersOf(text)) };
}

/** Returns the hash of a text that has the form of an app password, and undefined for every other text. */
export function appPasswordHash(text: string): string | undefined {
  if (text.length > LONGEST) return undefined;
  const letters = lettersOf(text);
  return APP_PASSWORD.test(letters) ? hashOf(letters) : undefined;
}

/** Compares the hashes of two app passwords or access tokens. Takes the same time wherever they differ. */
export const isSameSecretHash = (a: string, b: string): boolean => timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** The number of codes that an account gets at once. */
export const RECOVERY_CODES = 10;

/** Returns codes such as `7K3M-9QXA-0B2C-D4EF`. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () => randomText(RECOVERY_CODE_GROUPS));

/** Returns the text to seal: the hash of each code, in order. */
export const recoveryCodeHashes = (codes: readonly string[]): string =>
  JSON.stringify(codes.map((code) => hashOf(lettersOf(code))));

/** Returns whether a text has the form of a recovery code. One-time codes have six digits. */
export const isRecoveryCode = (text: string): boolean =>
  text.length < LONGEST && lettersOf(text).length === RECOVERY_CODE_GROUPS * GROUP_LETTERS;

/** Returns the index of a code among the hashes of `recoveryCodeHashes`, or undefined. Takes equally long for every code. */
export function matchingRecoveryCode(hashes: string, text: string): number | undefined {
  const given = Buffer.from(hashOf(lettersOf(text)));
  const matches = (JSON.parse(hashes) as string[]).map((each) => timingSafeEqual(Buffer.from(each), given));
  const index = matches.indexOf(true);
  return index === -1 ? undefined : index;
}

/** Returns the setup code that follows from `SETUP_CODE_BYTES` bytes, such as `7K3M-9QXA-0B2C-D4EF`. */
export const setupCodeOf = (bytes: Buffer): string =>
  [...bytes]
    .map((byte, index) => `${index > 0 && index % GROUP_LETTERS === 0 ? '-' : ''}${ALPHABET[byte % 32]}`)
    .join('');

/** Returns whether a typed text is this code. Takes the same time wherever they differ. */
export const isSetupCode = (code: string, typed: string): boolean =>
  typed.length <= LONGEST && isSameSecretHash(hashOf(lettersOf(code)), hashOf(lettersOf(typed)));

const randomText = (groups: number) => Array.from({ length: groups }, randomGroup).join('-');
const randomGroup = () => Array.from({ length: GROUP_LETTERS }, () => ALPHABET[randomInt(ALPHABET.length)]!).join('');

const lettersOf = (text: string) =>
  text
    .toUpperCase()
    .replaceAll(/[\s-]/g, '')
    .replaceAll(/[ILO]/g, (letter) => LOOK_ALIKES[letter]!);

const hashOf = (letters: string) => hash('sha256', letters, 'base64url');
