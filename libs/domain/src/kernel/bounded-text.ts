import { DomainError, type DomainErrorCode } from './domain-error.js';

/**
 * The most that a text may have, in bytes of UTF-8: more than anybody writes by hand, and too little to hurt those who share the
 * service. What was stored before there were bounds stays and is shown as ever.
 */
export const TEXT_BYTES = { username: 4096, basePath: 4096, ssoId: 1024, title: 1024, client: 1024 } as const;

const encoder = new TextEncoder();

/** Bytes of UTF-8 in all the texts together. */
export const bytesOf = (...texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);

/** What texts take in memory at most, in bytes: a letter beyond Latin-1 makes all of its text twice as large. */
export const memoryOf = (...texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + 2 * length, 0);

/** Refuses a text that has more bytes than it may. */
export function requireBound(text: string, bytes: number, refusal: DomainErrorCode): void {
  if (bytesOf(text) > bytes) throw new DomainError(refusal);
}

/** As much of the beginning of a text as fits; no letter is cut in two. */
export function beginningOf(text: string, bytes: number): string {
  if (bytesOf(text) <= bytes) return text;
  return text.slice(0, encoder.encodeInto(text, new Uint8Array(bytes)).read);
}
