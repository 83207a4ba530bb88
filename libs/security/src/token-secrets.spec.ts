import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { parseTokenSecrets } from './token-secrets.js';

const [one, two] = [randomBytes(48).toString('base64'), randomBytes(32).toString('hex')];

describe('token secrets', () => {
  test('are a list whose order counts, and spaces around the commas do not', () => {
    expect(parseTokenSecrets(one)).toEqual([one]);
    expect(parseTokenSecrets(`${one},${two}`)).toEqual([one, two]);
    expect(parseTokenSecrets(`${two} ,\n${one}`)).toEqual([two, one]);
  });

  test('keep spaces at their ends, which are part of the secret', () => {
    expect(parseTokenSecrets(` ${one} `)).toEqual([` ${one} `]);
  });

  test.each([
    ['short', /^needs at least 32 characters \(256 bits\): generate one with "openssl rand -base64 48"$/],
    [`${one},`, /^secret 2 of the list \(commas separate secrets\) needs at least 32 characters/],
    ['x'.repeat(40), /^repeats itself and can be guessed: generate one with "openssl rand -base64 48"$/],
    [`${one},${'ab'.repeat(20)}`, /^secret 2 of the list \(commas separate secrets\) repeats itself/],
  ])('are refused when one is short or weak: %#', (text, message) => {
    expect(() => parseTokenSecrets(text)).toThrow(message);
  });

  test.each([`${one},changeme-changeme`, `${one},${'changeme'.repeat(5)}`])(
    'never show up in a message: %#',
    (text) => {
      expect(() => parseTokenSecrets(text)).toThrow(/^(?!.*changeme)/);
      expect(() => parseTokenSecrets(text)).not.toThrow(one);
    },
  );
});
