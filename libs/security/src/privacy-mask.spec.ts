import { factorySetting } from '@keyfold/domain';
import { describe, expect, it } from 'vitest';
import { InvalidPatterns, PrivacyMask } from './privacy-mask.js';

const factory = new PrivacyMask(factorySetting('privacy_regs')!.value);

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

  it('takes the leftmost alternative, as Go does', () => {
    expect(new PrivacyMask('1?1|11').apply('111')).toBe('***');
    expect(new PrivacyMask('1|11').apply('11')).toBe('**');
  });

  it('ignores blank lines, and masks nothing without a pattern', () => {
    for (const patterns of ['', '\n\n']) expect(new PrivacyMask(patterns).apply('1.2.3.4')).toBe('1.2.3.4');
  });

  it('truncates a very long message', () => {
    expect(factory.apply('access_token='.repeat(10_000))).toHaveLength(2_048);
  });

  it('masks a private text that reaches beyond the end of the message', () => {
    expect(factory.apply(`${'x'.repeat(2_040)} 192.168.100.200 y`)).toBe(`${'x'.repeat(2_040)} *******`);
  });

  it('masks every match in a message of usual length', () => {
    expect(factory.apply('1.2.3.4 '.repeat(25))).toBe('******* '.repeat(25));
    expect(new PrivacyMask('[0-9]').apply('1x'.repeat(1_000))).toBe('*x'.repeat(1_000));
  });

  it('cuts a long message after the match from which on further searches would take too long', () => {
    expect(new PrivacyMask('a(?:[ab]{300}c)?').apply('ab'.repeat(1_000))).toMatch(/^(\*b){2,10}\*$/);
  });

  it.each([
    ['a(b', 'line 1: error parsing regexp: missing closing ): `a(b`'],
    ['a\n(?=b)', 'line 2: error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
    ['(a)\\1', 'line 1: error parsing regexp: invalid escape sequence: `\\1`'],
    ['a'.repeat(4_097), 'more than 4096 characters'],
    ['a{1000}b{1000}', 'the expressions are too large, shorten one'],
    ['a{1000}'.repeat(500), 'the expressions are too large, shorten one'],
    ['(){1000}'.repeat(20), 'the expressions are too large, shorten one'],
    [String.raw`\Q[\E${'a{1000}'.repeat(20)}]`, 'the expressions are too large, shorten one'],
    [String.raw`(?i)[${String.raw`\pL`.repeat(33)}]`, 'the expressions are too large, shorten one'],
    ['a{999}\n'.repeat(500), 'the expressions are too large, shorten one'],
    [`(?:${'a'.repeat(1_000)}){1000}`, 'the expressions are too large, shorten one'],
  ])('refuses %j', (patterns, reason) => {
    expect(() => new PrivacyMask(patterns)).toThrow(new InvalidPatterns(reason));
  });

  // A backtracking engine takes longer than the age of the universe, so a test of this kind would never end.
  it.each(['(a+)+$', '(a|aa)+$', '(a*)*b', '(?:a?){500}b', '(?:[ab]*a[ab]{900}c|a)'])('%s ends', (pattern) => {
    expect(new PrivacyMask(pattern).apply(`${'ab'.repeat(50_000)}!`)).toMatch(/^[ab*]+$/);
    expect(new PrivacyMask(pattern).apply(`${'a'.repeat(100_000)}!`)).toMatch(/^[a*]+$/);
  });
});
