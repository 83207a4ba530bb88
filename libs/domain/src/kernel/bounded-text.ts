import { DomainError, type DomainErrorCode } from './domain-error.js';

/**
 * Maximum lengths of texts, in bytes of UTF-8. They allow for anything typed by hand and are too small to harm other users. Longer texts
 * that were stored before the limits existed stay valid.
 */
export const TEXT_BYTES = { username: 4096, basePath: 4096, ssoId: 1024, title: 1024, client: 1024 } as const;

const encoder = new TextEncoder();

/** Returns the total number of UTF-8 bytes in the texts. */
export const bytesOf = (...texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);

/** Returns the maximum memory that the texts take, in bytes. One character beyond Latin-1 doubles the size of its text. */
export const memoryOf = (...texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + 2 * length, 0);

/** Throws the refusal if the text has more than `bytes` bytes. */
export function requireMaxBytes(text: string, bytes: number, refusal: DomainErrorCode): void {
  if (bytesOf(text) > bytes) throw new DomainError(refusal);
}

/** Truncates a text to at most `bytes` bytes without splitting a character. */
export function truncate(text: string, bytes: number): string {
  if (bytesOf(text) <= bytes) return text;
  return text.slice(0, encoder.encodeInto(text, new Uint8Array(bytes)).read);
}
