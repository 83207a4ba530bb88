import { describe, expect, it } from 'vitest';
import { safeSettings, withOwnToken } from './setting-token.js';

const own = async () => 'own';
const shown = async (data: unknown) => {
  const body = await withOwnToken(Buffer.from(JSON.stringify({ code: 200, data })), own);
  return (JSON.parse(body.toString()) as { data: unknown }).data;
};
const saved = (text: string) => JSON.parse(safeSettings(Buffer.from(text)).toString()) as unknown;

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

describe('the setting proxy_ignore_headers of a list that is saved', () => {
  /** Reads the value as Go does: the last field counts, whatever its case, and null is none. */
  const ignored = (text: string) => {
    const [item] = saved(`[${text}]`) as Record<string, unknown>[];
    const values = Object.entries(item!).filter(([name, value]) => name.toLowerCase() === 'value' && value !== null);
    return String(values.at(-1)![1]).split(',');
  };

  it.each([
    '{"key":"proxy_ignore_headers","value":"referer"}',
    '{"key":"proxy_ignore_headers","value":""}',
    '{"key":"proxy_ignore_headers"}',
    '{"key":"proxy_ignore_headers","value":null}',
    '{"key":"proxy_ignore_headers","value":"Authorization, authorization"}',
    '{"key":" Proxy_Ignore_Headers","VALUE":"referer"}',
    '{"key":"proxy_ignore_headers","value":"authorization","VALUE":"referer"}',
    '{"value":"referer","key":"a","KEY":"proxy_ignore_headers"}',
  ])('keeps authorization, so that no storage provider gets the static token: %s', (text) => {
    expect(ignored(text)).toContain('authorization');
  });

  it('is sent as it is otherwise', () => {
    const item = { key: 'proxy_ignore_headers', value: 'cookie,authorization', group: 3 };
    expect(saved(JSON.stringify([item]))).toEqual([item]);
  });
});

it('an address that runs code is not saved', () => {
  expect(() => saved('[{"key":"favicon","value":"javascript:alert(1)"}]')).toThrow('setting-address-unsuitable');
});
