import { describe, expect, it } from 'vitest';
import { withoutToken, withOwnToken } from './setting-token.js';

const own = async () => 'own';
const shown = async (data: unknown) => {
  const body = await withOwnToken(Buffer.from(JSON.stringify({ code: 200, data })), own);
  return (JSON.parse(body.toString()) as { data: unknown }).data;
};
const saved = (text: string) => JSON.parse(withoutToken(Buffer.from(text)).toString()) as unknown;

describe('the setting token of an answer', () => {
  it.each([
    [
      { key: 'token', value: 'secret' },
      { key: 'token', value: 'own' },
    ],
    [
      [
        { key: 'a', value: '1' },
        { key: 'token', value: 'secret' },
      ],
      [
        { key: 'a', value: '1' },
        { key: 'token', value: 'own' },
      ],
    ],
    [null, null],
    ['text', 'text'],
  ])('is ours: %j', async (data, expected) => {
    expect(await shown(data)).toEqual(expected);
  });

  it('that cannot be read is not shown', async () => {
    await expect(withOwnToken(Buffer.from('{"key":"token"'), own)).rejects.toMatchObject({ status: 502 });
  });
});

describe('the setting token of a list that is saved', () => {
  it.each([
    '[{"key":"token","value":"x"},{"key":"a"}]',
    '[{"Key":"token"},{"key":"a"}]',
    '[{"key":"b","KEY":" Token "},{"key":"a"}]',
    '[{"\u212aey":"token"},{"key":"a"}]',
    '[{"key":"b","key":"token"},{"key":"a"}]',
  ])('is left out, as Go reads it: %s', (text) => {
    expect(saved(text)).toEqual([{ key: 'a' }]);
  });

  it.each(['', '{}', '[]x', 'key=token', '<a/>'])('is refused in another form: %s', (text) => {
    expect(() => saved(text)).toThrow(expect.objectContaining({ status: 400 }));
  });
});
