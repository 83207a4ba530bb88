import { factorySettings } from '@keyfold/domain';

/** The patterns that a site starts with: IPv4 and IPv6 addresses, and `access_token=...&` (wire contract 1.10). */
export const defaultPrivacyPatterns: string = factorySettings.find(({ key }) => key === 'privacy_regs')?.value ?? '';

/** Letters of a message that are looked at; bounds the work of a pattern that starts anew at each letter. */
const LONGEST_MESSAGE = 16_384;

/** Hides private parts of error messages: each match becomes as many `*` as it has UTF-8 bytes (wire contract 1.10). */
export class PrivacyMask {
  private readonly patterns: readonly RegExp[];

  /** Takes one regular expression a line. */
  constructor(patterns: string) {
    this.patterns = patterns.split('\n').map((line) => new RegExp(line, 'g'));
  }

  /** Very long messages are cut. */
  apply(message: string): string {
    return this.patterns.reduce((text, pattern) => text.replace(pattern, stars), message.slice(0, LONGEST_MESSAGE));
  }
}

const stars = (found: string) => '*'.repeat(Buffer.byteLength(found));
