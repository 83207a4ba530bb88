import { afterEach, beforeEach, expect, it } from 'vitest';
import { toDataURL } from 'qrcode';
import { FakeServer } from './fake-server.js';
import type { Answer, HttpAnswer, Step } from './recording.js';
import { Replayer } from './replayer.js';

let server: FakeServer;
let replayer: Replayer;

beforeEach(async () => {
  server = await FakeServer.start({
    headers: { 'content-type': 'application/json', 'retry-after': '30' },
    body: '{"code":200,"data":{"content":[{"id":1,"name":"a"},{"id":2,"name":"b"}],"total":2}}',
  });
  replayer = new Replayer(server, {});
});

afterEach(async () => {
  replayer.close();
  await server.stop();
});

const sent = (answer: Partial<HttpAnswer>): Step => ({
  send: { method: 'GET', path: '/x' },
  answer: { status: 200, ...answer },
});
const replay = (...steps: Step[]) => replayer.replay({ id: 'X1', title: 'a case', steps });

it('the same answer passes', async () => {
  await replay(
    sent({ type: 'application/json', headers: { 'retry-after': '<<int>>', allow: null } }),
    sent({ body: '{"code":200,"data":{"content":[{"id":<<int>>,"name":"a"},{"id":2,"name":"b"}],"total":2}}' }),
    sent({ has: ['"id":1', '"total":<<int>>'], lacks: ['"id":3'] }),
    sent({ keys: ['content', 'total'], eachKeys: ['id', 'name'], length: 2 }),
  );
});

it.each<[string, Partial<HttpAnswer>, string]>([
  ['status', { status: 204 }, 'status: expected 204, got 200'],
  ['type', { type: 'text/plain' }, 'content-type: at character 0: expected "text/plain", got "application/json"'],
  ['type that must be absent', { type: null }, 'content-type: expected none, got application/json'],
  ['header', { headers: { 'retry-after': '31' } }, 'retry-after: at character 1: expected "1", got "0"'],
  ['header that must be absent', { headers: { 'retry-after': null } }, 'retry-after: expected none, got 30'],
  ['missing header', { headers: { allow: 'GET' } }, 'allow: expected GET, got none'],
  ['body', { body: '{"code":400}' }, 'body: at character 8: expected "400}", got '],
  ['placeholder', { body: '{"code":<<time>>,<<any>>' }, 'body: at character 8: expected "<<time>>'],
  [
    'placeholder of another text',
    { body: '{"code":<<int:1>>,"data":{"content":[{"id":<<int:1>>' },
    'body: at character',
  ],
  ['missing piece', { has: ['"id":3'] }, 'body: lacks "id":3'],
  ['forbidden piece', { lacks: ['"id":2'] }, 'body: has "id":2'],
  ['order of keys', { keys: ['total', 'content'] }, 'data: expected the keys total,content, got content,total'],
  ['key of an item', { eachKeys: ['id'] }, 'item 0: expected the keys id, got id,name'],
  ['length', { length: 3 }, 'data: expected 3 items, got 2'],
  ['type of a value', { strings: true }, 'data.content: expected a string, got ['],
])('a differing %s fails, and the later steps still run', async (_what, answer, difference) => {
  await expect(replay(sent(answer), sent({}))).rejects.toThrow(`step 1, GET /x\n  ${difference}`);
  expect(server.received).toHaveLength(2);
});

it.each(['', 'not json', '{"data":null}', '{"data":[]}', '{"data":{"content":null}}'])(
  'the body %j has no list with items',
  async (body) => {
    server.answer = { body };
    await expect(replay(sent({ eachKeys: ['id'] }))).rejects.toThrow('step 1');
  },
);

it('only the fields that Keyfold adds at the end of each listed key are ignored', async () => {
  const key = '"id":1,"last_used_time":"2026-01-15T12:00:00.000Z"';
  const md5 = `MD5:${Array.from({ length: 16 }, () => 'a0').join(':')}`;
  const more = String.raw`,"type":"ssh-rsa","bits":2048,"comment":"a \"b\" c","fingerprint_md5":"${md5}","expires_time":null,"expired":false`;
  const received = (fields: string) => {
    server.answer = { body: `{"content":[{${fields}},{${fields}}]}` };
    return replay(sent({ body: `{"content":[{${key}},{${key}}]}` }));
  };
  await received(key);
  await received(key + more);
  for (const fields of [`"id":1${more}`, `${key}${more},"other":1`, `${key},"other":1${more}`])
    await expect(received(fields)).rejects.toThrow('body: at character');
});

it('a deliberate difference replaces the recorded answer, or skips a step', async () => {
  const replayed = (...answers: (Answer | { skip: true } | null)[]) =>
    replayer.replay({
      id: 'X1',
      title: 'a case',
      steps: [sent({ status: 404 }), sent({})],
      difference: { why: 'x', answers },
    });
  await replayed({ status: 200 }, null);
  await replayed({ skip: true }, null);
  await expect(replayed({ status: 201 }, null)).rejects.toThrow('step 1, GET /x\n  status: expected 201, got 200');
  await expect(replayed(null, null)).rejects.toThrow('step 1, GET /x\n  status: expected 404, got 200');
});

it('a value that no answer contained, or a broken connection, fails', async () => {
  const use: Step = { send: { method: 'GET', path: '/x?{{t}}' }, answer: { status: 200 } };
  await expect(replay({ ...sent({}), save: { t: 'data.token' } } as Step, use)).rejects.toThrow(
    'step 2, GET /x?{{t}}\n  nothing is saved as t',
  );
  await server.stop();
  await expect(replay(sent({}))).rejects.toThrow('step 1');
});

it('a differing token fails', async () => {
  const answer = { header: '{"alg":"HS256","typ":"JWT"}', lifetime: 172_800, hasClaims: { exp: 'number' } };
  const read = (changed: object): Step => ({ decode: '{{forged:admin:x}}', answer: { ...answer, ...changed } });
  await replay(read({ claims: '{"username":"admin","pwd_ts":0,"exp":<<int>>,"nbf":<<int:1>>,"iat":<<int:1>>}' }));
  await expect(replay(read({ header: '{}' }))).rejects.toThrow('header: at character 1');
  await expect(replay(read({ claims: '{}' }))).rejects.toThrow('claims: at character 1');
  await expect(replay(read({ lifetime: 60 }))).rejects.toThrow('lifetime: expected 60 s, got 172800 s');
  await expect(replay(read({ hasClaims: { exp: 'string' } }))).rejects.toThrow('claim exp: expected a string');
});

it('a differing QR code fails', async () => {
  const qr = await toDataURL('otpauth://totp/OpenList:a%20b?secret=ABC&digits=6', { width: 400 });
  server.answer = { body: JSON.stringify({ data: { qr } }) };
  const otpauth = { label: 'OpenList:a b', digits: '6', secret: 'ABC' };
  const read = (changed: object): Step => ({ qr: '{{qr}}', answer: { size: '400x400', otpauth, ...changed } });
  await replay({ ...sent({}), save: { qr: 'data.qr' } } as Step, read({}));
  await expect(replay(read({ size: '200x200' }))).rejects.toThrow('size: expected 200x200, got 400x400');
  await expect(replay(read({ otpauth: { ...otpauth, digits: '8' } }))).rejects.toThrow('digits: expected 8, got 6');
  await expect(replay(read({ otpauth: { label: otpauth.label } }))).rejects.toThrow('digits: expected none, got 6');
});
