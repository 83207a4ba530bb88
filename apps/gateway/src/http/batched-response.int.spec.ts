import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as endOfIteration } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BatchedResponse } from './batched-response.js';

type Arrived = Readonly<{ path: string; response: ServerResponse }>;

const server = createServer({ ServerResponse: BatchedResponse });
/** Requests that have arrived; the tests answer them. */
let arrived: Arrived[];
let port: number;

beforeEach(async () => {
  arrived = [];
  server.removeAllListeners('request');
  server.on('request', ({ url }: IncomingMessage, response) => arrived.push({ path: url!, response }));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function answerOf(path: string): Promise<{ status: number; body: string }> {
  const [message] = (await once(get({ port, path, agent: false }), 'response')) as [IncomingMessage];
  return { status: message.statusCode!, body: await text(message) };
}

/** Sends that many requests, each on its own connection. Resolves when all have arrived, with the responses in order. */
async function requests(count: number) {
  const answers = Array.from({ length: count }, (_, index) => answerOf(`/${index}`));
  await vi.waitFor(() => expect(arrived).toHaveLength(count));
  const inOrder = arrived.toSorted((a, b) => Number(a.path.slice(1)) - Number(b.path.slice(1)));
  return { answers, responses: inOrder.map(({ response }) => response) };
}

describe('a response that has ended', () => {
  it('is written at the end of the iteration, together with the others of that iteration', async () => {
    const { answers, responses } = await requests(3);
    const sockets = responses.map(({ socket }) => socket as Socket);
    responses.forEach((response, index) => response.end(`answer ${index}`));
    expect(sockets.map(({ bytesWritten }) => bytesWritten)).toEqual([0, 0, 0]);
    await endOfIteration();
    for (const { bytesWritten } of sockets) expect(bytesWritten).toBeGreaterThan(0);
    expect(await Promise.all(answers)).toEqual([0, 1, 2].map((index) => ({ status: 200, body: `answer ${index}` })));
  });

  it('counts as ended before it is written, and ending it again has no effect', async () => {
    const { answers, responses } = await requests(1);
    const [response] = responses as [ServerResponse];
    expect(response.writableEnded).toBe(false);
    response.end('the answer');
    expect(response.writableEnded).toBe(true);
    expect((response.socket as Socket).bytesWritten).toBe(0);
    response.on('error', () => undefined);
    response.end('another one');
    expect(await answers[0]).toEqual({ status: 200, body: 'the answer' });
  });

  it('is written at once if it is the sixteenth of the iteration, together with the fifteen before it', async () => {
    const { answers, responses } = await requests(17);
    const sockets = responses.map(({ socket }) => socket as Socket);
    const written = () => sockets.filter(({ bytesWritten }) => bytesWritten > 0).length;
    responses.slice(0, 15).forEach((response) => response.end('a'));
    expect(written()).toBe(0);
    responses[15]!.end('b');
    expect(written()).toBe(16);
    responses[16]!.end('c');
    expect(written()).toBe(16);
    expect((await Promise.all(answers)).map(({ body }) => body).join('')).toBe(`${'a'.repeat(15)}bc`);
  });

  it('accepts all overloads of `end`: nothing, a string with encoding, bytes, a callback', async () => {
    const { answers, responses } = await requests(4);
    const called = vi.fn<() => void>();
    responses[0]!.writeHead(204).end();
    responses[1]!.end('c3bc', 'hex');
    responses[2]!.end(Buffer.from('bytes'), called);
    responses[3]!.end(called);
    const bodies = (await Promise.all(answers)).map(({ body }) => body);
    expect(bodies).toEqual(['', 'ü', 'bytes', '']);
    expect(called).toHaveBeenCalledTimes(2);
  });

  it('may have been partly written before', async () => {
    const { answers, responses } = await requests(1);
    responses[0]!.write('one, ');
    responses[0]!.end('two');
    expect(await answers[0]).toEqual({ status: 200, body: 'one, two' });
  });
});

it('responses on one connection arrive in the order of its requests, whichever ends first', async () => {
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /first HTTP/1.1\r\nHost: t\r\n\r\nGET /second HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n');
  await vi.waitFor(() => expect(arrived).toHaveLength(2));
  arrived.toReversed().forEach(({ path, response }) => response.end(path));
  expect((await text(socket)).match(/\/first|\/second/g)).toEqual(['/first', '/second']);
});

it('a client that disconnects before its response is written does not affect others', async () => {
  const gone = connect(port, '127.0.0.1');
  gone.write('GET /gone HTTP/1.1\r\nHost: t\r\n\r\n');
  const other = answerOf('/other');
  await vi.waitFor(() => expect(arrived).toHaveLength(2));
  for (const { path, response } of arrived) {
    response.end(path);
    if (path === '/gone') response.socket!.destroy();
  }
  expect(await other).toEqual({ status: 200, body: '/other' });
});

it('a closing server writes the responses that have ended', async () => {
  const { answers, responses } = await requests(1);
  responses[0]!.end('in time');
  server.close();
  server.closeIdleConnections();
  expect(await answers[0]).toEqual({ status: 200, body: 'in time' });
});
