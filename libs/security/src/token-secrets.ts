import { weaknessOf } from './weak-secret.js';

/** 256 bits at 8 bits per character (RFC 7518 section 3.2). */
const MIN_CHARACTERS = 32;
const HOW_TO_GENERATE = 'generate one with "openssl rand -base64 48"';

/**
 * Parses a comma-separated list of token secrets. The first one signs, all of them verify.
 *
 * @throws Error that does not quote the text, because it is secret.
 */
export function parseTokenSecrets(text: string): string[] {
  const secrets = text.split(/\s*,\s*/);
  secrets.forEach((secret, index) => {
    const name = secrets.length > 1 ? `secret ${index + 1} of the list (commas separate secrets) ` : '';
    if (secret.length < MIN_CHARACTERS)
      throw new Error(`${name}needs at least ${MIN_CHARACTERS} characters (256 bits): ${HOW_TO_GENERATE}`);
    const weakness = weaknessOf(secret);
    if (weakness !== undefined) throw new Error(`${name}${weakness} and can be guessed: ${HOW_TO_GENERATE}`);
  });
  return secrets;
}
