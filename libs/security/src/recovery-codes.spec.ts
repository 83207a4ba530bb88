import { describe, expect, it } from 'vitest';
import { isRecoveryCode, matchingRecoveryCode, newRecoveryCodes, recoveryCodeHashes } from './recovery-codes.js';

describe('recovery codes', () => {
  const codes = newRecoveryCodes();
  const hashes = recoveryCodeHashes(codes);

  it('are ten different codes of 80 bits in groups', () => {
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
  });

  it('use every letter', () => {
    const letters = Array.from({ length: 40 }, newRecoveryCodes).flat().join('').replaceAll('-', '');
    expect(new Set(letters).size).toBe(32);
  });

  it('are stored as hashes', () => {
    for (const code of codes) expect(hashes).not.toContain(code.replaceAll('-', ''));
  });

  it('are found by their index in any spelling', () => {
    for (const [index, code] of codes.entries()) {
      for (const spelled of [code, code.toLowerCase(), code.replaceAll('-', ''), ` ${code.replaceAll('-', ' ')}\n`]) {
        expect(isRecoveryCode(spelled)).toBe(true);
        expect(matchingRecoveryCode(hashes, spelled)).toBe(index);
      }
    }
  });

  it('are found with letters that look alike', () => {
    const stored = recoveryCodeHashes(['1111-0000-ABCD-EFGH']);
    expect(matchingRecoveryCode(stored, 'iLI1-oO00-abcd-efgh')).toBe(0);
  });

  it('are not found if one letter differs', () => {
    const [code] = codes as [string];
    const wrong = code.slice(0, -1) + (code.endsWith('A') ? 'B' : 'A');
    expect(matchingRecoveryCode(hashes, wrong)).toBeUndefined();
    expect(matchingRecoveryCode(hashes, '')).toBeUndefined();
  });

  it('differ in form from one-time codes and long texts', () => {
    for (const text of ['123456', '', 'ABCD-EFGH', 'x'.repeat(100_000)])
      expect(isRecoveryCode(text), text.slice(0, 20)).toBe(false);
  });
});
