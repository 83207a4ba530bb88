import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  begunBody,
  discardRest,
  ForwardedBody,
  hasBody,
  IDLE_TIME,
  receivedBody,
  REQUEST_TIME,
} from './forwarded-body.js';
import { OutdatedLogin, Relay, type Relayed } from './relay.js';
import { Upstream } from './upstream.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

async function listening(server: Server): Promise<number> {
  onTestFinished(() => server.close().closeAllConnections());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

const policy = { hstsSeconds: 0, isPrivate: false };

/** Returns a request to a proxy in front of `openlist`, and how passing on its answer ended. */
async function asked(method: 'GET' | 'PUT', openlist: RequestListener) {
  const upstream = new Upstream(`http://127.0.0.1:${await listening(createServer(openlist))}`);
  onTestFinished(() => upstream.close());
  const relayed = Promise.withResolvers<Relayed>();
  const proxy = createServer((received, response) => {
    const relay = new Relay({ request: received, response }, policy, () => undefined);
    const body = hasBody(received) ? new ForwardedBody(received) : null;
    const sending = upstream.send({ method, path: '/', headers: [], body }, relay);
    sending.catch((error: { status: number }) => {
      response.writeHead(error.status).end();
      discardRest(received, response);
    });
    relayed.resolve(sending);
  });
  const sent = request({ host: '127.0.0.1', port: await listening(proxy), method, agent: false });
  sent.on('error', () => undefined);
  const answered = once(sent, 'response').then(([answer]) => answer as IncomingMessage);
  return { sent, answered, relayed: relayed.promise };
}

/** Resolves when a stream has ended, in whatever way. */
const ended = (stream: IncomingMessage) => finished(stream.resume()).catch(() => undefined);

describe('a download', () => {
  /** Returns both ends of a download of which one byte has arrived. */
  async function begun() {
    const behind = Promise.withResolvers<Parameters<RequestListener>[1]>();
    const { sent, answered, relayed } = await asked('GET', (_, response) => behind.resolve(response));
    sent.end();
    const response = await behind.promise;
    response.write('a');
    const answer = (await answered).on('error', () => undefined);
    await once(answer, 'data');
    return { response, answer, relayed };
  }

  it('that stops ends on both sides', async () => {
    const { response, answer, relayed } = await begun();
    vi.advanceTimersByTime(IDLE_TIME);
    await Promise.all([once(response, 'close'), ended(answer)]);
    expect(await relayed).toBe('broken');
  });

  it('that is slow goes on', async () => {
    const { response, answer, relayed } = await begun();
    for (let piece = 0; piece < 3; piece++) {
      vi.advanceTimersByTime(IDLE_TIME - 1);
      response.write('b');
      await once(answer, 'data');
    }
    response.end();
    expect(await relayed).toBe('answered');
  });
});

describe('an upload', () => {
  /** Returns both ends of an upload of which one byte has arrived. */
  async function begun() {
    const behind = Promise.withResolvers<Parameters<RequestListener>>();
    const { sent, answered, relayed } = await asked('PUT', (...exchange) => behind.resolve(exchange));
    sent.write('a');
    const [received, response] = await behind.promise;
    received.on('error', () => undefined);
    await once(received, 'data');
    return { sent, answered, received, response, relayed };
  }

  it('that stops is answered with 504 and ends on both sides', async () => {
    const { sent, answered, received, relayed } = await begun();
    const isRefused = expect(relayed).rejects.toMatchObject({ status: 504 });
    vi.advanceTimersByTime(IDLE_TIME);
    await Promise.all([isRefused, ended(received)]);
    expect((await answered).statusCode).toBe(504);
    vi.advanceTimersByTime(IDLE_TIME);
    await once(sent, 'close');
  });

  it('that is slow goes on', async () => {
    const { sent, received, response, relayed } = await begun();
    for (let piece = 0; piece < 3; piece++) {
      vi.advanceTimersByTime(IDLE_TIME - 1);
      sent.write('b');
      await once(received, 'data');
    }
    sent.end();
    await once(received, 'end');
    response.end();
    expect(await relayed).toBe('answered');
  });
});

it('a request that is too late for its login is not sent, and another one has its body and its connection', async () => {
  const received: Promise<Buffer>[] = [];
  const openlist = createServer((request, response) => {
    received.push(buffer(request));
    request.once('end', () => response.end());
  });
  let connections = 0;
  openlist.on('connection', () => connections++);
  const upstream = new Upstream(`http://127.0.0.1:${await listening(openlist)}`);
  onTestFinished(() => upstream.close());
  const proxy = createServer();
  const sent = request({ host: '127.0.0.1', port: await listening(proxy), method: 'PUT', agent: false });
  sent.end('body');
  const [asked, response] = (await once(proxy, 'request')) as Parameters<RequestListener>;
  const body = await begunBody(asked, IDLE_TIME, 'begin');
  const send = (validUntil: number) => {
    const relay = new Relay({ request: asked, response }, policy, () => undefined, validUntil);
    return upstream.send({ method: 'PUT', path: '/', headers: [], body }, relay);
  };
  await expect(send(0)).rejects.toThrow(OutdatedLogin);
  expect(await send(Infinity)).toBe('answered');
  expect(await Promise.all(received)).toEqual([Buffer.from('body')]);
  expect(connections).toBe(1);
});

it('a body that never begins is given up', async () => {
  const given = Promise.withResolvers<unknown>();
  const proxy = createServer((received, response) => {
    given.resolve(begunBody(received, REQUEST_TIME, 'begin').catch((error: unknown) => error));
    response.writeContinue();
  });
  proxy.on('checkContinue', (...exchange) => proxy.emit('request', ...exchange));
  const headers = { 'content-length': '1', expect: '100-continue' };
  const sent = request({ host: '127.0.0.1', port: await listening(proxy), method: 'PUT', headers, agent: false });
  sent.on('error', () => undefined).flushHeaders();
  await once(sent, 'continue');
  vi.advanceTimersByTime(REQUEST_TIME);
  expect(await given.promise).toMatchObject({ status: 408 });
  sent.destroy();
});

describe('a body of which a byte arrives now and then', () => {
  /** Sends a byte every 20 seconds. Returns what became of the body after a minute. */
  async function after<Result>(read: (request: IncomingMessage) => Promise<Result>): Promise<Result | 'open'> {
    const proxy = createServer();
    const sent = request({ host: '127.0.0.1', port: await listening(proxy), method: 'POST', agent: false });
    sent.on('error', () => undefined).write('a');
    const [received] = (await once(proxy, 'request')) as Parameters<RequestListener>;
    const result = read(received);
    await once(received, 'data');
    for (let byte = 0; byte < 3; byte++) {
      vi.advanceTimersByTime(REQUEST_TIME / 3);
      if (!sent.destroyed) sent.write('a');
      await once(received, 'data');
    }
    const outcome = await Promise.race([result, new Promise<'open'>((resolve) => setImmediate(() => resolve('open')))]);
    sent.destroy();
    return outcome;
  }
  const failed = (error: unknown) => error;
  const streamed = (time: number, until: 'begin' | 'end') => async (received: IncomingMessage) => {
    const body = await begunBody(received, time, until);
    return new Promise((resolve) => body.once('error', resolve));
  };

  it.each<[string, (received: IncomingMessage) => Promise<unknown>]>([
    ['received here', (received) => receivedBody(received, 100, false).catch(failed)],
    ['passed on', streamed(REQUEST_TIME, 'end')],
  ])('is given up after a minute if nobody has identified its sender: %s', async (_, read) => {
    expect(await after(read)).toMatchObject({ status: 408 });
  });

  it.each<[string, (received: IncomingMessage) => Promise<unknown>]>([
    ['received here', (received) => receivedBody(received, 100, true).catch(failed)],
    ['passed on', streamed(IDLE_TIME, 'begin')],
    ['an upload that OpenList decides about', streamed(REQUEST_TIME, 'begin')],
  ])('goes on if its sender is identified, or OpenList does that: %s', async (_, read) => {
    expect(await after(read)).toBe('open');
  });
});

describe('pieces of all sizes', () => {
  const bytes = createHash('shake256', { outputLength: 8 << 20 })
    .update('bytes')
    .digest();
  /** In chunks that neither start nor end with the reads of a socket. */
  function* chunks(): Generator<Buffer> {
    const sizes = [1, 70_000, 100, 65_536, 5_000, 200_000];
    for (let at = 0, count = 0; at < bytes.length; at += sizes[count++ % sizes.length]!)
      yield bytes.subarray(at, at + sizes[count % sizes.length]!);
  }
  async function write(stream: { write(chunk: Buffer): boolean } & NodeJS.EventEmitter): Promise<void> {
    for (const chunk of chunks()) if (!stream.write(chunk)) await once(stream, 'drain');
  }

  it('arrive unchanged in a download', async () => {
    const { sent, answered } = await asked('GET', (_, response) => void write(response).then(() => response.end()));
    sent.end();
    expect((await buffer(await answered)).equals(bytes)).toBe(true);
  });

  it('arrive unchanged in an upload', async () => {
    const received = Promise.withResolvers<Buffer>();
    const { sent, answered } = await asked('PUT', (behind, response) => {
      received.resolve(buffer(behind));
      behind.once('end', () => response.end());
    });
    await write(sent);
    sent.end();
    expect((await received.promise).equals(bytes)).toBe(true);
    await answered;
  });
});
