import { describe, expect, it } from 'vitest';
import { templateDifference, templateOccurs } from './template.js';

describe('a template without placeholders', () => {
  it('matches the same text, including characters special in regular expressions', () => {
    const text = '{"a":[1.5,"(x|y)*+?^$\\\\"]}';
    expect(templateDifference(text, text)).toBeUndefined();
  });

  it.each([
    ['abc', 'abd', 'at character 2: expected "c", got "d"'],
    ['abc', 'ab', 'at character 2: expected "c", got the end'],
    ['abc', 'abcd', 'at character 3: expected the end, got "d"'],
    ['a.c', 'abc', 'at character 1: expected ".c", got "bc"'],
    ['abc', 'abc\n', 'at character 3: expected the end, got "\\n"'],
  ])('%j differs from %j', (template, text, difference) => {
    expect(templateDifference(template, text)).toBe(difference);
  });
});

describe('a placeholder', () => {
  it.each([
    ['<<jwt>>', 'aA0_.b-.c'],
    ['<<int>>', '-10'],
    ['<<int>>', '0'],
    ['<<time>>', '2026-01-02T03:04:05Z'],
    ['<<time>>', '2026-01-02T03:04:05.123456789+02:00'],
    ['<<secret>>', 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'],
    ['<<png>>', 'data:image/png;base64,ab+/=='],
    ['<<fingerprint>>', `SHA256:${'a'.repeat(43)}`],
    ['"<<text>>"', '"a \\" \\u00e9 б"'],
    ['<<any>>', '{"a":[1]}'],
  ])('%s matches %s', (template, text) => {
    expect(templateDifference(template, text)).toBeUndefined();
  });

  it.each([
    ['<<jwt>>', 'a.b'],
    ['<<int>>', '01'],
    ['<<int>>', '1.5'],
    ['<<time>>', '2026-01-02 03:04:05'],
    ['<<secret>>', 'jbswy3dpehpk3pxpjbswy3dpehpk3pxp'],
    ['<<png>>', 'data:image/gif;base64,ab'],
    ['<<fingerprint>>', 'SHA256:short'],
    ['"<<text>>"', '""'],
    ['"<<text>>"', '"a"b"'],
    ['<<any>>', '{"a":'],
    ['<<any>>', ''],
  ])('%s does not match %j', (template, text) => {
    expect(templateDifference(template, text)).toBeDefined();
  });

  it('that is unknown is an error, not a text', () => {
    expect(() => templateDifference('<<number>>', '1')).toThrow('unknown placeholder <<number>>');
  });
});

describe('a named placeholder', () => {
  const template = '<<int:1>>,<<int:2>>,<<int:1>>';

  it('matches the same text everywhere', () => {
    expect(templateDifference(template, '7,8,7')).toBeUndefined();
    expect(templateDifference(template, '7,7,7')).toBeUndefined();
  });

  it('does not match if the second text differs', () => {
    expect(templateDifference(template, '7,8,9')).toBe('at character 4: expected "<<int:1>>", got "9"');
  });

  it('may have two kinds under one name', () => {
    expect(templateDifference('<<int:1>> <<secret:1>>', `5 ${'A'.repeat(32)}`)).toBeUndefined();
  });
});

describe('a piece', () => {
  it('matches anywhere in a text, with placeholders', () => {
    expect(templateOccurs('"id":<<int>>', '{"id":12}')).toBe(true);
    expect(templateOccurs('"id":<<int>>,', '{"id":12}')).toBe(false);
    expect(templateOccurs('a.c', 'xabcx')).toBe(false);
  });
});
