import { describe, expect, it } from 'vitest';
import { oneTimeCode, stepOf } from '../support/one-time-code.js';
import { valueAt } from './saved-path.js';
import { Variables } from './variables.js';

const variables = new Variables({
  host: '127.0.0.1:80',
  keys: { a: { text: 'ssh-ed25519 AAAA', fingerprint: 'SHA256:x' } },
  tokenOf: async (account) => `token of ${account}`,
  codeOf: async (reference, shift) => `${reference} at ${shift}`,
});
variables.save('n', 7);
variables.save('title', 'Ab');
variables.save('bob-1', { id: 3, name: 'bob', role: 0 });

describe('a variable', () => {
  it.each([
    ['{{n}}', '7'],
    ['/x?id={{bob-1.id}}&t={{title}}', '/x?id=3&t=Ab'],
    ['{{lower:title}}', 'ab'],
    ['{{token:бо б:&=}}', 'token of бо б:&='],
    ['{{totp:a:b:-2}}', 'a:b at -2'],
    ['{{key:a}} {{fingerprint:a}}', 'ssh-ed25519 AAAA SHA256:x'],
    ['{{repeat:3:a:}}', 'a:a:a:'],
    ['{{host}}', '127.0.0.1:80'],
    ['{{hash:guest}}', '58dbc53287db56c2f3d2c1ff16620af6d6cc4a09ae5109620f2162313f345ec2'],
  ])('%s becomes %s', async (template, text) => {
    expect(await variables.text(template)).toBe(text);
  });

  it('keeps its type if it is the whole string', async () => {
    expect(await variables.json({ id: '{{n}}', list: ['{{bob-1.id}}', 'n{{n}}'] })).toEqual({ id: 7, list: [3, 'n7'] });
  });

  it('spreads into an object in order, and later keys win', async () => {
    const filled = await variables.json({ '...': 'bob-1', name: '{{title}}', more: null });
    expect(JSON.stringify(filled)).toBe('{"id":3,"name":"Ab","role":0,"more":null}');
  });

  it('that was never saved is an error', async () => {
    await expect(variables.text('{{unknown}}')).rejects.toThrow('nothing is saved as unknown');
    await expect(variables.json({ '...': 'n' })).rejects.toThrow('no saved object named n');
  });

  it('forges a token with the claims of the original', async () => {
    const token = await variables.text('{{forged:admin:secret}}');
    const [header, claims] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString());
    expect(header).toBe('{"alg":"HS256","typ":"JWT"}');
    expect(claims).toMatch(/^\{"username":"admin","pwd_ts":0,"exp":\d+,"nbf":\d+,"iat":\d+\}$/);
    expect(await variables.text('{{forged:admin:other}}')).not.toBe(token);
  });
});

describe('a path', () => {
  const root = {
    data: {
      content: [
        { title: 'a', id: 1 },
        { title: 'h77 b', id: 2 },
      ],
    },
  };

  it.each([
    ['data.content[title=h77 b].id', 2],
    ['data.content[id=1].title', 'a'],
    ['data.content[title=c].id', undefined],
    ['data.content.title', undefined],
    ['data.token', undefined],
  ])('%s leads to %s', (path, value) => {
    expect(valueAt(root, path)).toBe(value);
  });
});

describe('a one-time code', () => {
  const base32 = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

  it.each([
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ])('at second %i matches RFC 6238 appendix B', (second, code) => {
    expect(oneTimeCode(base32, stepOf(second * 1000))).toBe(code);
  });
});
