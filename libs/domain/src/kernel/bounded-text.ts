import { DomainError, type DomainErrorCode } from './domain-error.js';

/**
 * The most bytes that each text may take, as `bytesOf` counts them: more than anybody writes by hand, and too little to hurt those who
 * share the service. What was stored before there were bounds stays and is shown as ever.
 */
export const TEXT_BYTES = { username: 4096, basePath: 4096, ssoId: 1024, title: 1024, client: 1024 } as const;

const encoder = new TextEncoder();

/**
 * Bytes that texts take in the JSON of an answer (wire contract 1.1). A bound in this measure holds for answers and documents as well;
 * in plain UTF-8 they could be six times as large.
 */
export const bytesOf = (...texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text) + escapeBytesOf(text), 0);

/**
 * Memory of texts in bytes, at most: a single letter beyond Latin-1 makes all of its text twice as large.
 */
export const memoryOf = (...texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + 2 * length, 0);

/** Refuses a text that has more bytes than it may. */
export function requireBound(text: string, bytes: number, refusal: DomainErrorCode): void {
  if (bytesOf(text) > bytes) throw new DomainError(refusal);
}

/** As much of the beginning of a text as fits in UTF-8; no letter is cut in two. */
export function beginningOf(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  return text.slice(0, encoder.encodeInto(text, new Uint8Array(bytes)).read);
}

// Nearly every text fails this test, and a loop over its letters is spared.
const MAY_NEED_ESCAPES = /[\p{Cc}\p{Cs}"\\<>&\u2028\u2029]/u;
const LONG_ESCAPE = '\\u0000'.length;
const isEscapedLong = (letter: string) => '<>&\b\f'.includes(letter) || JSON.stringify(letter).length > LONG_ESCAPE;
/** Bytes that the escape of each ASCII letter adds. */
const ADDED = Uint8Array.from({ length: 0x80 }, (_, code) => {
  const letter = String.fromCharCode(code);
  return isEscapedLong(letter) ? LONG_ESCAPE - 1 : JSON.stringify(letter).length - '"a"'.length;
});

/** Bytes that the escapes of a text add to its UTF-8. */
function escapeBytesOf(text: string): number {
  if (!MAY_NEED_ESCAPES.test(text)) return 0;
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const letter = text.charCodeAt(at);
    if (letter < 0x80) bytes += ADDED[letter]!;
    else if (letter === 0x2028 || letter === 0x2029) bytes += LONG_ESCAPE - 3;
    else if (letter >= 0xd800 && letter <= 0xdfff) {
      if (text.codePointAt(at)! > 0xffff) at++;
      else bytes += LONG_ESCAPE - 3;
    }
  }
  return bytes;
}
