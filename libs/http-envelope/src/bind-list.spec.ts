import { describe, expect, it } from 'vitest';
import { bindList } from './bind-body.js';
import { GoStruct, TextField } from './body-fields.js';
import { Refusal } from './refusal.js';

@GoStruct('SettingItem')
class Item {
  @TextField('Key', { required: true }) key = '';
  @TextField('Value', { required: true }) value = '';
}

const missing = (field: string) =>
  `Key: 'SettingItem.${field}' Error:Field validation for '${field}' failed on the 'required' tag`;

describe('a list', () => {
  const list = (text: string, type = 'application/json') =>
    bindList(Item, Buffer.from(text), type).map((item) => ({ ...item }));

  it('has one object of its class for each item, by the rules of a body', () => {
    expect(list(' [{"key":"a","VALUE":"b","x":[1]}, {"value":"d","key":"c"} ] ')).toEqual([
      { key: 'a', value: 'b' },
      { key: 'c', value: 'd' },
    ]);
  });

  it.each(['[]', 'null', ' [ ] '])('%j is empty', (text) => {
    expect(list(text)).toEqual([]);
  });

  it('is empty if the body is not JSON', () => {
    expect(list('[{}]', 'text/plain')).toEqual([]);
  });

  it('counts the items that lack a field, in the message for each', () => {
    expect(() => list('[{"key":"a","value":"b"},null,{"key":"c","value":"d"},{"value":"e"}]')).toThrow(
      new Refusal(400, [`[0]: ${missing('Key')}`, missing('Value'), `[1]: ${missing('Key')}`].join('\n')),
    );
  });

  it.each([
    ['{}', 'SettingItem: expected a JSON list'],
    ['"a"', 'SettingItem: expected a JSON list'],
    ['[] x', 'the request body is not valid JSON'],
    ['[1]', 'SettingItem: expected a JSON object'],
    ['["a"]', 'SettingItem: expected a JSON object'],
    ['[{"key":1}]', 'SettingItem.Key: expected a string'],
    ['[{},]', 'the request body is not valid JSON'],
    ['[{}', 'the request body is not valid JSON'],
    ['', 'EOF'],
    [`[${Array(1_001).fill('null').join()}]`, 'the list is too long: at most 1000 items'],
  ])('%s is refused', (text, message) => {
    expect(() => list(text)).toThrow(expect.objectContaining({ code: 400, message: expect.stringContaining(message) }));
  });
});
