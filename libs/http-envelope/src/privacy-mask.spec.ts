import { describe, expect, it } from 'vitest';
import { defaultPrivacyPatterns, PrivacyMask } from './privacy-mask.js';

const factory = new PrivacyMask(defaultPrivacyPatterns);

describe('the factory patterns', () => {
  it.each([
    ['"1.2.3.4"', '"*******"'],
    ['x-192.168.100.200-y', 'x-***************-y'],
    ['"2001:db8::1"', '"***********"'],
    ['at ::', 'at **'],
    ['[::1]:22', '[***]:22'],
    ['fe80::', '******'],
    ['2001:db8:1:2:3:4:5:6', '********************'],
    ['access_token=abc&x', '*****************x'],
  ])('hide the private part of %s', (text, masked) => {
    expect(factory.apply(text)).toBe(masked);
  });

  it.each(['1.2.3', '12:30:45', 'a:b', 'access_token=abc', 'Invalid username or password', ''])(
    'leave %j unchanged',
    (text) => {
      expect(factory.apply(text)).toBe(text);
    },
  );
});

describe('a privacy mask', () => {
  it('replaces the matches of every pattern with one star for each UTF-8 byte', () => {
    expect(new PrivacyMask('secret[0-9]+\nfoo\n名|🦊').apply('secret12-foo-名-🦊')).toBe('********-***-***-****');
  });

  it('truncates a very long message', () => {
    expect(factory.apply('access_token='.repeat(10_000))).toHaveLength(16_384);
  });
});
