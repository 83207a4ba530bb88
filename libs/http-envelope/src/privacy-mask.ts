import { factorySettings } from '@keyfold/domain';
import { compilePattern, type Masking } from './privacy-pattern.js';

/** The patterns that a site starts with: IPv4 and IPv6 addresses, and `access_token=...&` (wire-contract 1.10). */
export const defaultPrivacyPatterns: string = factorySettings.find(({ key }) => key === 'privacy_regs')?.value ?? '';

/** Hides private parts of error messages, as the setting `privacy_regs` says (wire-contract 1.10). */
export class PrivacyMask {
  private readonly maskings: readonly Masking[];

  /** Takes one regular expression a line; lines that are none are ignored. */
  constructor(patterns: string) {
    this.maskings = patterns
      .split(/\r?\n/)
      .map(compilePattern)
      .filter((masking) => masking !== undefined);
  }

  /** The message with every match replaced by as many `*` as it has UTF-8 bytes. Very long messages are cut. */
  apply(message: string): string {
    return this.maskings.reduce((text, masking) => masking(text), message.slice(0, longestMessage));
  }
}

/** Letters; bounds the work of a pattern that looks at the rest of the message from each of its letters. */
const longestMessage = 16_384;
