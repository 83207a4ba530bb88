import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { oneTimeCode, stepOf } from '../support/one-time-code.js';
import { FakeServer } from './fake-server.js';
import type { HttpAnswer, Json, RecordedCase, RecordedRequest, Step } from './recording.js';
import { Replayer } from './replayer.js';

let server: FakeServer;
let replayer: Replayer;

beforeEach(async () => {
  server = await FakeServer.start();
  replayer = new Replayer(server, {});
});

afterEach(async () => {
  replayer.close();
  await server.stop();
});

const replay = (steps: Step[], difference?: RecordedCase['difference']): Promise<void> =>
  replayer.replay({ id: 'X1', title: 'a case', steps, ...(difference && { difference }) });

const sent = (send: Partial<RecordedRequest>, answer: Partial<HttpAnswer> = {}): Step => ({
  send: { method: 'GET', path: '/x', ...send },
  answer: { status: 200, ...answer },
});

describe('a case', () => {
  it('passes if every answer matches the recording', async () => {
    server.answer = () => ({ headers: { 'content-type': 'text/plain' }, body: 'pong 5' });
    await replay([sent({}, { type: 'text/plain', headers: { allow: null }, body: 'pong <<int>>' }), sent({})]);
    expect(server.gotAt('/x')).toHaveLength(2);
  });

  it('fails with all differences of the first failing step, and still runs the other steps', async () => {
    server.answer = () => ({ status: 500, headers: { 'content-type': 'text/html' }, body: 'oops' });
    const steps = [sent({}, { status: 500 }), sent({}, { type: 'text/plain', body: 'pong' }), sent({})];
    await expect(replay(steps)).rejects.toThrow(
      [
        'step 2, GET /x',
        'status: expected 200, got 500',
        'content-type: at character 5: expected "plain", got "html"',
        'body: at character 0: expected "pong", got "oops"',
      ].join('\n  '),
    );
    expect(server.gotAt('/x')).toHaveLength(3);
  });

  it('fails if a named placeholder matches two texts', async () => {
    server.answer = () => ({ body: '1 2' });
    await expect(replay([sent({}, { body: '<<int:1>> <<int:1>>' })])).rejects.toThrow('at character 2');
  });

  it('fails if it uses a value that the last answer did not contain', async () => {
    server.answer = ({ body }) => ({ body });
    const save = (data: object): Step =>
      ({ ...sent({ method: 'POST', json: { data } as Json }), save: { t: 'data.token' } }) as Step;
    const use = sent({ path: '/x?{{t}}' });
    await replay([save({ token: 'a' }), use]);
    await expect(replay([save({}), use])).rejects.toThrow('step 2, GET /x?{{t}}\n  nothing is saved as t');
  });

  it('fails if the connection breaks', async () => {
    await server.stop();
    await expect(replay([sent({})])).rejects.toThrow();
    server = await FakeServer.start();
  });
});

describe('a deliberate difference', () => {
  it('replaces the recorded answer', async () => {
    server.answer = () => ({ status: 404 });
    const difference = { why: 'no page', answers: [{ status: 404 }, null] };
    await expect(replay([sent({}), sent({})], difference)).rejects.toThrow('step 2');
    await replay([sent({}), sent({}, { status: 404 })], difference);
  });

  it('may skip the comparison of one step or the whole case, which is still sent', async () => {
    server.answer = () => ({ status: 404 });
    await replay([sent({})], { why: 'an accident', answers: [{ skip: true }] });
    await replay([sent({})], { why: 'an accident', skip: true });
    expect(server.gotAt('/x')).toHaveLength(2);
  });
});

describe('a request', () => {
  it('has exactly the given method, path, headers and bytes', async () => {
    const headers = { authorization: 'ключ', 'x-empty': '' };
    await replay([
      sent({ method: 'OPTIONS', path: '/a//b/?x=%zz', headers, from: '10.0.0.1' }),
      sent({ method: 'HEAD', path: '/head' }),
      sent({ method: 'POST', path: '/bytes', base64: Buffer.from('{"я":1}').toString('base64') }),
      sent({ method: 'DELETE', path: '/delete', json: {} }),
      sent({ method: 'POST', path: '/typeless', text: '', headers: { 'content-type': null } }),
    ]);
    const [options, head, bytes, removed, typeless] = server.got;
    expect(options).toMatchObject({ method: 'OPTIONS', path: '/a//b/?x=%zz' });
    expect(options?.headers).toMatchObject({ ...headers, 'x-forwarded-for': '10.0.0.1' });
    expect(options?.headers).not.toHaveProperty('content-type');
    expect(head?.method).toBe('HEAD');
    expect(bytes).toMatchObject({ headers: { 'content-type': 'application/json' }, body: '{"я":1}' });
    expect(removed).toMatchObject({ method: 'DELETE', headers: { 'content-length': '2' }, body: '{}' });
    expect(typeless?.headers).toMatchObject({ 'content-length': '0' });
    expect(typeless?.headers).not.toHaveProperty('content-type');
  });

  it('has the token of its account, or a new one on request', async () => {
    await replay([
      sent({ as: 'bob' }),
      sent({ as: 'bob' }),
      sent({ as: 'fresh bob' }),
      sent({ path: '/x?{{token:bob}}' }),
    ]);
    expect(server.gotAt('/x').map(({ headers }) => headers['authorization'])).toEqual([
      'token-1',
      'token-1',
      'token-2',
    ]);
    expect(server.got.at(-1)?.path).toBe('/x?token-2');
    const logins = server.gotAt('/api/auth/login');
    expect(logins.map(({ body }) => body)).toEqual(Array(2).fill('{"username":"bob","password":"pw-bob"}'));
    expect(new Set(logins.map(({ headers }) => headers['x-forwarded-for'])).size).toBe(2);
  });

  it('contains values of an earlier answer', async () => {
    server.answer = () => ({ body: '{"data":{"content":[{"title":"a b","id":9}]}}' });
    await replay([
      { ...sent({}), save: { key: 'data.content[title=a b].id', all: 'data' } } as Step,
      sent({ method: 'POST', path: '/x/{{key}}', json: { '...': 'all', id: '{{key}}' } }),
    ]);
    expect(server.gotAt('/x/9')[0]?.body).toBe('{"content":[{"title":"a b","id":9}],"id":9}');
  });
});

describe('a step', () => {
  it('creates an account, changes its listed object and finds it', async () => {
    await replay([
      { create: { username: 'bob', permission: 7 } },
      { edit: 'bob', set: { disabled: true } },
      { look: 'admin' },
      sent({ path: '/x/{{bob.id}}/{{admin.id}}' }),
    ]);
    const [created] = server.gotAt('/api/admin/user/create');
    expect(JSON.parse(created?.body ?? '')).toEqual({ username: 'bob', password: 'pw-bob', role: 0, permission: 7 });
    expect(server.gotAt('/api/admin/user/update')[0]?.body).toBe('{"id":2,"username":"bob","disabled":true}');
    expect(server.gotAt('/x/2/1')).toHaveLength(1);
  });

  it('enables two-factor, and codes of that account use its secret', async () => {
    await replay([{ enrol: 'bob', shift: -1 }, sent({ path: '/x/{{totp:bob:+1}}' })]);
    const { code, secret } = JSON.parse(server.gotAt('/api/auth/2fa/verify')[0]?.body ?? '') as Record<string, string>;
    const step = stepOf(Date.now());
    expect(code).toBe(oneTimeCode(secret ?? '', step - 1));
    expect(server.got.at(-1)?.path).toBe(`/x/${oneTimeCode(secret ?? '', step + 1)}`);
  });

  it('checks a QR code', async () => {
    const otpauth = { label: 'OpenList:a b', digits: '6', secret: '{{s}}' };
    const generate = {
      ...sent({ method: 'POST', path: '/api/auth/2fa/generate' }),
      save: { s: 'data.secret', qr: 'data.qr' },
    } as Step;
    const read = (changed: object): Step => ({ qr: '{{qr}}', answer: { size: '400x400', otpauth, ...changed } });
    await replay([generate, read({})]);
    await expect(replay([read({ size: '200x200' })])).rejects.toThrow('size: expected 200x200, got 400x400');
    await expect(replay([read({ otpauth: { ...otpauth, digits: '8' } })])).rejects.toThrow('digits: expected 8, got 6');
    await expect(replay([read({ otpauth: { label: otpauth.label } })])).rejects.toThrow('digits: expected none, got 6');
  });

  it('checks a token', async () => {
    const answer = { header: '{"alg":"HS256","typ":"JWT"}', lifetime: 172_800, hasClaims: { exp: 'number' } };
    const read = (changed: object): Step => ({ decode: '{{forged:admin:x}}', answer: { ...answer, ...changed } });
    await replay([read({ claims: '{"username":"admin","pwd_ts":0,"exp":<<int>>,"nbf":<<int:1>>,"iat":<<int:1>>}' })]);
    await expect(replay([read({ header: '{}' })])).rejects.toThrow('header: at character 1');
    await expect(replay([read({ claims: '{}' })])).rejects.toThrow('claims: at character 1');
    await expect(replay([read({ lifetime: 60 })])).rejects.toThrow('lifetime: expected 60 s, got 172800 s');
    await expect(replay([read({ hasClaims: { exp: 'string' } })])).rejects.toThrow('claim exp: expected a string');
  });

  it('restarts the server with additional environment variables', async () => {
    await replay([sent({}), { restart: true, env: { A: 'b' } }, { wait: 1 }, sent({})]);
    expect(server.restarts).toEqual([{ A: 'b' }]);
    expect(server.gotAt('/x')).toHaveLength(2);
  });

  it('that the server refuses fails the case', async () => {
    await expect(replay([{ look: 'nobody' }])).rejects.toThrow('no account named nobody is listed');
  });
});

describe('several addresses of a server', () => {
  it('alternate, all with the host name of the first', async () => {
    const second = await FakeServer.start();
    const replayed = new Replayer({ urls: [...server.urls, ...second.urls], restart: async () => {} }, {});
    try {
      await replayed.replay({ id: 'X1', title: 'a case', steps: ['/1', '/2', '/3'].map((path) => sent({ path })) });
      expect(server.got.map(({ path }) => path)).toEqual(['/1', '/3']);
      expect(second.got.map(({ path }) => path)).toEqual(['/2']);
      expect(second.got[0]?.headers['host']).toBe(new URL(server.urls[0]!).host);
    } finally {
      replayed.close();
      await second.stop();
    }
  });
});
