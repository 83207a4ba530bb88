import { factorySettings } from '@keyfold/domain';

/** The factory patterns: IPv4 and IPv6 addresses, and `access_token=...&` (wire contract 1.10). */
export const defaultPrivacyPatterns: string = factorySettings.find(({ key }) => key === 'privacy_regs')?.value ?? '';

/** In characters. Bounds the cost of patterns that backtrack from each character. */
const MAX_MESSAGE = 16_384;

/** Masks private parts of error messages: replaces each match with one `*` for each of its UTF-8 bytes (wire contract 1.10). */
export class PrivacyMask {
  private readonly patterns: readonly RegExp[];

  /** `patterns`: one regular expression per line. */
  constructor(patterns: string) {
    this.patterns = patterns.split('\n').map((line) => new RegExp(line, 'g'));
  }

  /** Returns the masked message, truncated to 16,384 characters. */
  apply(message: string): string {
    return this.patterns.reduce((text, pattern) => text.replace(pattern, stars), message.slice(0, MAX_MESSAGE));
  }
}

const stars = (found: string) => '*'.repeat(Buffer.byteLength(found));
