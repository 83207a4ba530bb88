import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newSealingKeyText, parseSealingKeys } from './sealing-keys.js';

const key = Buffer.from(Array.from({ length: 32 }, (_, index) => 255 - index));

describe('sealing keys', () => {
  test.each(['base64', 'base64url', 'hex'] as const)('are read from %s', (encoding) => {
    expect(parseSealingKeys(`k1:${key.toString(encoding)}`)).toEqual([{ id: 'k1', key }]);
  });

  test('keep their order, and spaces around them do not matter', () => {
    const text = ` ${newSealingKeyText('new')} ,\n${newSealingKeyText('Old_2-b')} `;
    expect(parseSealingKeys(text).map(({ id }) => id)).toEqual(['new', 'Old_2-b']);
  });

  test('are different each time', () => {
    expect(newSealingKeyText('k')).not.toBe(newSealingKeyText('k'));
    expect(parseSealingKeys(newSealingKeyText('k'))[0]?.key).toHaveLength(32);
    expect(() => newSealingKeyText('a:b')).toThrow('use 1 to 32 letters');
  });

  const good = key.toString('base64');
  test.each([
    ['', 'sealing key 1 is empty: write it as id:key'],
    [`k1:${good},`, 'sealing key 2 is empty'],
    [good, 'sealing key 1 has no id: write it as id:key'],
    [`:${good}`, 'the id of sealing key 1 is invalid: use 1 to 32 letters'],
    [`ключ:${good}`, 'the id of sealing key 1 is invalid'],
    [`${'k'.repeat(33)}:${good}`, 'the id of sealing key 1 is invalid'],
    [`k1:${good},k1:${good}`, 'sealing keys 1 and 2 have the same id'],
    ['k1:', 'sealing key 1 is not 32 bytes in base64, base64url or hex: generate one with'],
    [`k1: ${good}`, 'sealing key 1 is not 32 bytes'],
    [`k1:${key.subarray(1).toString('base64')}`, 'sealing key 1 is not 32 bytes'],
    [`k1:${key.subarray(1).toString('hex')}`, 'sealing key 1 is not 32 bytes'],
    [`k1:${good}=`, 'sealing key 1 is not 32 bytes'],
    [`k1:${good.replace('/', '-')}`, 'sealing key 1 is not 32 bytes'],
  ])('%j is refused: %s', (text, message) => {
    expect(() => parseSealingKeys(text)).toThrow(message);
  });

  test('never show up in a message', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 12, maxLength: 80 }),
        fc.constantFrom('', 'k:', 'k1:x,', ':'),
        (text, before) => {
          try {
            parseSealingKeys(before + text);
          } catch (error) {
            expect(String(error)).not.toContain(text.trim());
          }
        },
      ),
    );
  });
});
