import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createAccount, signedInAs } from '../../support/accounts.js';
import type { ApiClient } from '../../support/api-client.js';
import { bigSha256 } from '../../support/openlist/downloads.js';
import { REDIRECT_TARGET } from '../../support/openlist/proxy-cases.js';
import { openListScene } from '../../support/openlist/scene.js';
import { exchangeBytes } from '../../support/raw-connection.js';

const { app, double, api, admin } = await openListScene();
const SIZE = 100 << 20;
/** Bytes of a transfer that shows whether it is kept in memory. */
const LONG = 256 << 20;
/** Bytes by which the memory may grow, which depends on when the collector runs. */
const GROWTH = LONG / 2;
/** Milliseconds. Without an abort, such a transfer would not end in OpenList. */
const ABORT_TIME = 20_000;

let ann: ApiClient;
beforeAll(async () => {
  await createAccount(admin, 'ann', { permission: 16_383 });
  ann = await signedInAs(api, 'ann');
  await ann.get('/big/1000');
});

const residentBytes = () => {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${app.pid}/status`, 'utf8'))!;
  return Number(kilobytes) * 1024;
};

function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const sent = request({ host: '127.0.0.1', port: app.port, method, path, headers, agent: false });
  const answered = once(sent, 'response').then(([answer]) => answer as IncomingMessage);
  return { sent, answered };
}

describe('a download', () => {
  it('of 256 MiB arrives whole and is not kept in memory', async () => {
    const before = residentBytes();
    const { sent, answered } = ask(`/big/${LONG}`);
    sent.end();
    const hash = createHash('sha256');
    let highest = 0;
    for await (const chunk of await answered) {
      hash.update(chunk as Buffer);
      highest = Math.max(highest, residentBytes());
    }
    expect(hash.digest('hex')).toBe(bigSha256(LONG));
    expect(highest - before).toBeLessThan(GROWTH);
  });

  it('waits for a slow reader', async () => {
    const before = residentBytes();
    const { sent, answered } = ask(`/big/${LONG}`);
    sent.end();
    const answer = await answered;
    answer.pause();
    // Enough for everything to arrive, if anybody took it.
    const other = ask(`/big/${LONG}`);
    other.sent.end();
    await finished((await other.answered).resume());
    expect(residentBytes() - before).toBeLessThan(GROWTH);
    sent.destroy();
  });

  it('takes ranges, conditions and HEAD', async () => {
    const part = await ann.send({ path: '/big/1000', headers: { range: 'bytes=10-19' } });
    expect(part).toMatchObject({
      status: 206,
      headers: { 'content-range': 'bytes 10-19/1000', 'content-length': '10' },
    });
    const { etag } = part.headers;
    expect((await ann.send({ path: '/big/1000', headers: { 'if-none-match': etag! } })).status).toBe(304);
    const head = await ann.send({ method: 'HEAD', path: '/big/1000' });
    expect(head).toMatchObject({ status: 200, headers: { 'content-length': '1000' }, text: '' });
  });

  it('follows no redirect', async () => {
    expect(await ann.get('/redirect')).toMatchObject({ status: 302, headers: { location: REDIRECT_TARGET } });
  });

  it('that OpenList breaks off is broken off', async () => {
    await expect(ann.get('/abort')).rejects.toThrow(/aborted|hang up|reset/);
  });

  it('that the client breaks off ends in OpenList', async () => {
    const aborted = double.requests.aborted;
    const { sent, answered } = ask(`/big/${SIZE}`);
    sent.on('error', () => undefined).end();
    const answer = await answered;
    answer.on('error', () => undefined);
    sent.destroy();
    await vi.waitFor(() => expect(double.requests.aborted).toBe(aborted + 1), ABORT_TIME);
  });

  it('that has not begun ends in OpenList as well', async () => {
    const aborted = double.requests.aborted;
    const { sent, answered } = ask('/slow');
    answered.catch(() => undefined);
    sent.on('error', () => undefined).end();
    await vi.waitFor(() => expect(double.cases.slow).toBe(1), 5_000);
    sent.destroy();
    await vi.waitFor(() => expect(double.requests.aborted).toBe(aborted + 1), ABORT_TIME);
  });
});

describe('an upload', () => {
  const put = (path: string, headers: Record<string, string> = {}) =>
    ask('/api/fs/put', { authorization: ann.token, 'file-path': encodeURIComponent(path), ...headers }, 'PUT');

  it.each([true, false])('of 256 MiB arrives whole and is not kept in memory; with a length: %s', async (hasLength) => {
    const before = residentBytes();
    const { sent, answered } = put(`/up-${hasLength}`, hasLength ? { 'content-length': String(LONG) } : {});
    const chunk = Buffer.alloc(1 << 20, 'a');
    const hash = createHash('sha256');
    let highest = 0;
    for (let bytes = 0; bytes < LONG; bytes += chunk.length) {
      hash.update(chunk);
      if (!sent.write(chunk)) await once(sent, 'drain');
      highest = Math.max(highest, residentBytes());
    }
    sent.end();
    expect(JSON.parse(await text(await answered))).toMatchObject({ code: 200 });
    expect(double.files.uploads.at(-1)).toMatchObject({ sha256: hash.digest('hex') });
    expect(highest - before).toBeLessThan(GROWTH);
  });

  it('in many small pieces is taken', async () => {
    const { sent, answered } = put('/small');
    for (let piece = 0; piece < 600; piece++) {
      sent.write('abc');
      await new Promise(setImmediate);
    }
    sent.end();
    expect(JSON.parse(await text(await answered))).toMatchObject({ code: 200 });
  });

  it('in many small pieces is refused where the body is read here', async () => {
    const chunks = '1\r\na\r\n'.repeat(600);
    const head = `POST /api/admin/setting/save HTTP/1.1\r\nHost: t\r\nAuthorization: ${admin.token}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect(await exchangeBytes(app.baseUrl, `${head}${chunks}0\r\n\r\n`)).toMatch(/^HTTP\/1.1 413/);
  });

  it('is repeated with a new token after OpenList forgot the old one, if it is small', async () => {
    await ann.post('/api/fs/list', { path: '/' });
    double.tokens.forgetAll();
    const { sent, answered } = put('/again', { 'content-length': '5' });
    sent.end('again');
    expect(JSON.parse(await text(await answered))).toMatchObject({ code: 200 });
  });

  it('is sent with a token that was checked before, if it is large', async () => {
    double.tokens.forgetAll();
    const { sent, answered } = put('/large', { 'content-length': String(SIZE / 10) });
    sent.end(Buffer.alloc(SIZE / 10));
    expect(JSON.parse(await text(await answered))).toMatchObject({ code: 200 });
  });

  it('is asked for only after its sender was identified', async () => {
    const refused = ask('/api/fs/put', { authorization: 'x', expect: '100-continue', 'content-length': '5' }, 'PUT');
    const onContinue = vi.fn<() => void>();
    refused.sent.on('continue', onContinue).flushHeaders();
    expect(JSON.parse(await text(await refused.answered))).toMatchObject({ code: 401 });
    expect(onContinue).not.toHaveBeenCalled();
    const { sent, answered } = put('/asked', { expect: '100-continue', 'content-length': '5' });
    sent.flushHeaders();
    await once(sent, 'continue');
    sent.end('asked');
    expect(JSON.parse(await text(await answered))).toMatchObject({ code: 200 });
  });

  it('that the client breaks off is broken off', async () => {
    const { sent, answered } = put('/broken', { 'content-length': String(SIZE) });
    answered.catch(() => undefined);
    sent.on('error', () => undefined).write(Buffer.alloc(1 << 20));
    await vi.waitFor(() => expect(double.files.uploads.at(-1)?.path).toMatch(/broken$/), 5_000);
    sent.destroy();
    await vi.waitFor(() => expect(double.files.uploads.at(-1)).toMatchObject({ state: 'aborted' }), ABORT_TIME);
  });
});

describe('a request for another protocol', () => {
  it('is an ordinary one, and its body arrives', async () => {
    const put = `PUT /api/fs/put HTTP/1.1\r\nHost: t\r\nAuthorization: ${ann.token}\r\nFile-Path: %2Fupgrade\r\n`;
    const body = `${'b'.repeat(100_000)}GET /ping HTTP/1.1\r\nHost: t\r\n\r\n`;
    const headers = 'Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 100000\r\n\r\n';
    const answer = await exchangeBytes(app.baseUrl, put + headers + body);
    expect(answer).toMatch(/^HTTP\/1.1 200 OK[^]*"code":200/);
    expect(answer).not.toContain('pong');
    expect(double.files.uploads.at(-1)).toMatchObject({ received: 100_000, state: 'complete' });
    expect(double.requests.forwarded.at(-1)!.headers).not.toHaveProperty('upgrade');
  });
});

describe('one connection', () => {
  it('can carry our own requests and forwarded ones', async () => {
    const get = (path: string, last = '') => `GET ${path} HTTP/1.1\r\nHost: t\r\n${last}\r\n`;
    const answers = await exchangeBytes(
      app.baseUrl,
      get('/ping') + get('/api/me') + get('/big/10') + get('/api/me', 'Connection: close\r\n'),
    );
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(Array(4).fill('HTTP/1.1 200'));
    expect(answers.indexOf('pong')).toBeLessThan(answers.indexOf('Guest user'));
  });
});
