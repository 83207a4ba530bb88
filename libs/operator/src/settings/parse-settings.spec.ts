import { expect, it } from 'vitest';
import { parseSettings } from './save-settings.js';

it('the list of the API is accepted, and only keys and values count', () => {
  const list = [{ key: 'site_title', value: 'a', help: '', type: 'string', options: '', group: 1, flag: 0, index: 1 }];
  expect(parseSettings(JSON.stringify(list))).toEqual({ settings: [{ key: 'site_title', value: 'a' }] });
});

it.each([
  ['no JSON', 'no', 'expected a JSON array'],
  ['an answer of the API', '{"code":200,"data":[]}', 'expected a JSON array'],
  ['an entry without a value', '[{"key":"a","value":""},{"key":"b"}]', 'in entry 2, value: '],
  ['an entry without a key', '[{"value":"b"}]', 'in entry 1, key: '],
  ['a number as a value', '[{"key":"a","value":5}]', 'in entry 1, value: '],
])('%s is refused', (_, text, problem) => {
  expect(parseSettings(text)).toEqual({ problem: expect.stringContaining(problem) });
});
