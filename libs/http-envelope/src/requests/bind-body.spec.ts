import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { successEnvelope } from '../envelope.js';
import { Refusal } from '../refusal.js';
import { bindBody, bindList, FlagField, GoStruct, TextField, WholeField } from './bind-body.js';

@GoStruct('Verify2FAReq')
class Verification {
  @TextField('Code', { required: true }) code = '';
  @TextField('Secret', { required: true }) secret = '';
}

@GoStruct('User')
class User {
  @WholeField('ID', 'uint64') id = 0;
  @TextField('Username', { required: true }) username = '';
  @TextField('BasePath') basePath = '/';
  @WholeField('Role', 'int') role = 0;
  @FlagField('Disabled') disabled = false;
  @WholeField('Permission', 'int32') permission = 0;
  @FlagField('AllowLdap') allow_ldap = true;
}

class Named extends User {
  @TextField('Nick') nick = '';
}

const json = 'application/json';
const bind = (text: string) => bindBody(User, Buffer.from(text), json);
const expectRefused = (text: string, message: string) => expect(() => bind(text)).toThrow(new Refusal(400, message));
const missing = (struct: string, field: string) =>
  `Key: '${struct}.${field}' Error:Field validation for '${field}' failed on the 'required' tag`;

describe('the content type', () => {
  const body = Buffer.from('{"username":"b"}');

  it.each([json, `${json}; charset=utf-8`, `${json};charset=utf-8`, `${json} x`])('%s is JSON', (type) => {
    expect(bindBody(User, body, type).username).toBe('b');
  });

  it.each([undefined, '', 'text/plain', 'Application/JSON', 'application/jsonx', 'application/x-www-form-urlencoded'])(
    '%s leaves the body unread',
    (type) => {
      expect(() => bindBody(User, body, type)).toThrow(new Refusal(400, missing('User', 'Username')));
      expect(() => bindBody(User, undefined, type)).toThrow(new Refusal(400, missing('User', 'Username')));
    },
  );
});

describe('a body', () => {
  it('fills the fields of its class', () => {
    const user = bind(
      '{"id":7,"username":"bob","base_path":"/b","role":-1,"disabled":true,"permission":-2147483648,"allow_ldap":true,"x":[1]}',
    );
    expect(user).toBeInstanceOf(User);
    expect({ ...user }).toEqual({
      id: 7,
      username: 'bob',
      basePath: '/b',
      role: -1,
      disabled: true,
      permission: -2147483648,
      allow_ldap: true,
    });
  });

  it('leaves missing fields and null empty, false or 0, whatever the class starts with', () => {
    const empty = { id: 0, username: 'b', basePath: '', role: 0, disabled: false, permission: 0, allow_ldap: false };
    expect({ ...bind('{"username":"b"}') }).toEqual(empty);
    expect({ ...bind('{"username":"b","base_path":null,"id":null,"allow_ldap":null}') }).toEqual(empty);
  });

  it('empties a text on null, but keeps the value of a flag or a number', () => {
    const text =
      '{"username":"a","base_path":"/b","Base_path":null,"permission":7,"Permission":null,"disabled":true,"Disabled":null}';
    expect(bind(text)).toMatchObject({ basePath: '', permission: 7, disabled: true });
  });

  it('matches names case-insensitively in ASCII; the last duplicate wins', () => {
    expect(bind('{"USERNAME":"a","Base_Path":"/x"}')).toMatchObject({ username: 'a', basePath: '/x' });
    expect(bind('{"username":"a","UserName":"b"}').username).toBe('b');
    expect(bind('{"username":1,"username":"c"}').username).toBe('c');
    expect(bind(String.raw`{"username":"a","user\u004eame":"b"}`).username).toBe('b');
    expect(() => bindBody(Verification, Buffer.from('{"code":"1","\u017fecret":"x"}'), json)).toThrow(
      new Refusal(400, missing('Verify2FAReq', 'Secret')),
    );
  });

  it.each(['{}', 'null', '{"username":null}', '{"username":""}', '{"username":"x","USERNAME":null}'])(
    '%s lacks a required field',
    (text) => {
      expectRefused(text, missing('User', 'Username'));
    },
  );

  it('names every missing field in the order of the class', () => {
    expect(() => bindBody(Verification, undefined, undefined)).toThrow(
      new Refusal(400, `${missing('Verify2FAReq', 'Code')}\n${missing('Verify2FAReq', 'Secret')}`),
    );
  });

  it.each([
    ['{"username":1}', 'User.Username: expected a string'],
    ['{"disabled":"true"}', 'User.Disabled: expected true or false'],
    ['{"id":-0}', 'User.ID: expected an integer from 0 to 18446744073709551615'],
    ['{"id":18446744073709551616}', 'User.ID: expected an integer from 0 to 18446744073709551615'],
    ['{"role":"2"}', 'User.Role: expected an integer from -9223372036854775808 to 9223372036854775807'],
    ['{"permission":2147483648}', 'User.Permission: expected an integer from -2147483648 to 2147483647'],
    ['{"permission":1.0}', 'User.Permission: expected an integer from -2147483648 to 2147483647'],
    ['{"permission":true}', 'User.Permission: expected an integer from -2147483648 to 2147483647'],
    ['[]', 'User: expected a JSON object'],
    ['1', 'User: expected a JSON object'],
    ['{"username":1,"UserName":"bob"}', 'User.Username: expected a string'],
    [`{"id":${'1'.repeat(40)}}`, 'User.ID: expected an integer from 0 to 18446744073709551615'],
    ['{"disabled":1,"username":1}', 'User.Disabled: expected true or false'],
  ])('%s is refused for its type before missing fields are reported', (text, message) => {
    expectRefused(text, message);
  });

  it('reads -0 as 0 for signed numbers, and ids beyond 2^53 as an id that no account has', () => {
    expect(bind('{"username":"b","role":-0}').role === 0).toBe(true);
    expect(bind('{"id":18446744073709551615,"username":"b"}').id).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('also fills and checks inherited fields, under the name of the subclass', () => {
    expect(bindBody(Named, Buffer.from('{"username":"a","nick":"b"}'), json)).toMatchObject({
      username: 'a',
      nick: 'b',
    });
    expect(() => bindBody(Named, Buffer.from('{}'), json)).toThrow(new Refusal(400, missing('Named', 'Username')));
    expect(bind('{"username":"a","nick":"b"}')).not.toHaveProperty('nick');
  });

  it.each(['[[],{"b":[{}]},1]', '-0.5e1', '1e999', `${'['.repeat(1_000)}${']'.repeat(1_000)}`])(
    'may contain any JSON in an unknown field, such as %.20s',
    (value) => {
      expect(bind(`{"username":"b","x":${value},"y":[]}`).username).toBe('b');
    },
  );

  it.each([
    ['{"username":"b","x":01}', 'is not valid JSON'],
    ['{"username":"b"} trailing', 'is not valid JSON'],
    [`{"username":"b","x":${'['.repeat(60_000)}${']'.repeat(60_000)}}`, 'is nested too deeply'],
    [`{"username":"b","x":[${'0,'.repeat(16_000)}0]}`, 'has too many values: at most 16000'],
  ])('is refused if it is not one JSON value of a bounded size: %.30s', (text, problem) => {
    expectRefused(text, `the request body ${problem}`);
  });

  it.each([
    [String.raw`\"\\\/\b\f\n\r\t`, '"\\/\b\f\n\r\t'],
    [String.raw`caf\u00e9 \uD83E\uDD8A`, 'café 🦊'],
    ['é🦊\x7f', 'é🦊\x7f'],
    [String.raw`\ud800`, '\ufffd'],
    [String.raw`\udc00x`, '\ufffdx'],
    [String.raw`\ud800\u0041`, '\ufffdA'],
    [String.raw`\ud800\ud83e\udd8a`, '\ufffd🦊'],
  ])('may contain the text "%s"; U+FFFD replaces half a surrogate pair', (quoted, text) => {
    expect(bind(`{"username":"${quoted}"}`).username).toBe(text);
  });

  it.each([String.raw`\x`, String.raw`\u12`, '\x00', '\n'])('may not contain %j in a text or a name', (text) => {
    expectRefused(`{"username":"a${text}"}`, 'the request body is not valid JSON');
    expect(() => bind(`{"a${text}":"","username":"a"}`)).toThrow(Refusal);
  });

  it('keeps each byte of malformed UTF-8 in a form that is sent back as U+FFFD', () => {
    const bytes = Buffer.from([0xff, 0xe2, 0x82]);
    const body = Buffer.concat([Buffer.from('{"username":"x'), bytes, Buffer.from('é🦊"}')]);
    const { username } = bindBody(User, body, json);
    expect(username).toBe('x\udcff\udce2\udc82é🦊');
    expect(successEnvelope({ username })).toContain(String.raw`{"username":"x\ufffd\ufffd\ufffdé🦊"}`);
  });

  it('without bytes is refused with EOF', () => {
    expect(() => bindBody(User, undefined, json)).toThrow(new Refusal(400, 'EOF'));
    expectRefused('', 'EOF');
  });

  it.each([' ', 'nope', '{', '{"a":"x', '{a:1}', '{"a":1,}', '// x\n{}', '\\'])(
    '%j is refused without quoting it',
    (text) => {
      expect(() => bind(text)).toThrow(
        expect.objectContaining({ code: 400, message: expect.stringMatching(/^the request body is [a-zA-Z0-9 :,]+$/) }),
      );
    },
  );

  it('with megabytes of brackets and quotes is refused in one pass', () => {
    for (const text of ['"\\"'.repeat(1_000_000), `{"${'\\"{'.repeat(1_000_000)}`, '{"a":"'.repeat(300_000)]) {
      expect(() => bind(text)).toThrow(Refusal);
    }
    expect(() => bind('['.repeat(200_000) + ']'.repeat(200_000))).toThrow(Refusal);
  });

  it('may start with a byte order mark and white space', () => {
    expect(bind('\ufeff \r\n{"username":"b"}\n').username).toBe('b');
  });

  it('cannot set properties that are not fields', () => {
    const user = bind('{"username":"a","__proto__":{"admin":true},"constructor":{"x":1}}');
    expect(Object.getPrototypeOf(user)).toBe(User.prototype);
    expect(user).not.toHaveProperty('admin');
  });

  it('of arbitrary bytes is bound or refused', () => {
    const piece = fc.constantFrom(...'{}[]":,-1\\', '.5', 'null', '"id"', '"username"', '"a"');
    const bytes = fc.oneof(
      fc.uint8Array().map((array) => Buffer.from(array)),
      fc.array(piece).map((pieces) => Buffer.from(pieces.join(''))),
      fc.jsonValue().map((value) => Buffer.from(JSON.stringify({ id: value, username: value, role: value }))),
    );
    fc.assert(
      fc.property(bytes, (raw) => {
        try {
          expect(bindBody(User, raw, json).username).not.toBe('');
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          expect(error.message).not.toBe('');
        }
      }),
    );
  });
});

@GoStruct('SettingItem')
class Item {
  @TextField('Key', { required: true }) key = '';
  @TextField('Value', { required: true }) value = '';
}

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
      new Refusal(
        400,
        [
          `[0]: ${missing('SettingItem', 'Key')}`,
          missing('SettingItem', 'Value'),
          `[1]: ${missing('SettingItem', 'Key')}`,
        ].join('\n'),
      ),
    );
  });

  it.each([
    ['{}', 'SettingItem: expected a JSON list'],
    ['[1]', 'SettingItem: expected a JSON object'],
    ['[{"key":1}]', 'SettingItem.Key: expected a string'],
    ['[{}', 'the request body is not valid JSON'],
    ['', 'EOF'],
    [`[${Array(1_001).fill('null').join()}]`, 'the list is too long: at most 1000 items'],
  ])('%s is refused', (text, message) => {
    expect(() => list(text)).toThrow(expect.objectContaining({ code: 400, message: expect.stringContaining(message) }));
  });
});
