import { DomainError, type DomainErrorCode } from './domain-error.js';

/**
 * Maximum sizes of texts, in bytes as `bytesOf` counts them. They allow for anything typed by hand and are too small to harm other users.
 */
export const TEXT_BYTES = {
  username: 4096,
  basePath: 4096,
  ssoId: 1024,
  title: 1024,
  client: 1024,
  secretName: 600,
} as const;

const encoder = new TextEncoder();

/**
 * Returns the number of bytes that the texts take in the JSON of an answer (wire contract 1.1). A limit in this measure also limits
 * answers and documents, where escapes can make a text six times as large as its UTF-8.
 */
export const bytesOf = (...texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text) + escapeBytesOf(text), 0);

/** Throws the refusal if the text has more than `bytes` bytes. */
export function requireMaxBytes(text: string, bytes: number, refusal: DomainErrorCode): void {
  if (bytesOf(text) > bytes) throw new DomainError(refusal);
}

/** Truncates a text to at most `bytes` bytes of UTF-8 without splitting a character. */
export function truncate(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  return text.slice(0, encoder.encodeInto(text, new Uint8Array(bytes)).read);
}

// Spares nearly every text the loop over its characters.
const MAY_NEED_ESCAPES = /[\p{Cc}\p{Cs}"\\<>&\u2028\u2029]/u;
const LONG_ESCAPE = '\\u0000'.length;
const hasLongEscape = (letter: string) => '<>&\b\f'.includes(letter) || JSON.stringify(letter).length > LONG_ESCAPE;
/** The number of bytes that the escape of each ASCII character adds. */
const ESCAPE_BYTES = Uint8Array.from({ length: 0x80 }, (_, code) => {
  const letter = String.fromCharCode(code);
  return hasLongEscape(letter) ? LONG_ESCAPE - 1 : JSON.stringify(letter).length - '"a"'.length;
});

/** Returns the number of bytes that escapes add to the UTF-8 of a text. */
function escapeBytesOf(text: string): number {
  if (!MAY_NEED_ESCAPES.test(text)) return 0;
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const letter = text.charCodeAt(at);
    if (letter < 0x80) bytes += ESCAPE_BYTES[letter]!;
    else if (letter === 0x2028 || letter === 0x2029) bytes += LONG_ESCAPE - 3;
    else if (letter >= 0xd800 && letter <= 0xdfff) {
      if (text.codePointAt(at)! > 0xffff) at++;
      else bytes += LONG_ESCAPE - 3;
    }
  }
  return bytes;
}
