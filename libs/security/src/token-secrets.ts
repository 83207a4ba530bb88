import { weaknessOf } from './weak-secret.js';

/** 256 bit, if each letter carries eight (RFC 7518 section 3.2). */
const LEAST_LETTERS = 32;
const HOW_TO_MAKE = 'make one with "openssl rand -base64 48"';

/**
 * Reads the secrets that sign tokens, separated by commas: the first one signs, all of them verify. Throws an Error that says what is
 * wrong and what to do. The message repeats nothing of the text, because that is secret.
 */
export function parseTokenSecrets(text: string): string[] {
  const secrets = text.split(/\s*,\s*/);
  secrets.forEach((secret, index) => {
    const name = secrets.length > 1 ? `secret ${index + 1} of the list (commas separate secrets) ` : '';
    if (secret.length < LEAST_LETTERS)
      throw new Error(`${name}needs at least ${LEAST_LETTERS} characters (256 bit): ${HOW_TO_MAKE}`);
    const weakness = weaknessOf(secret);
    if (weakness !== undefined) throw new Error(`${name}${weakness} and can be guessed: ${HOW_TO_MAKE}`);
  });
  return secrets;
}
