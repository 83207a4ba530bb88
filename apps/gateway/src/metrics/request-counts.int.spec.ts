import { fastify, type FastifyInstance } from 'fastify';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RequestCounts } from './request-counts.js';

let server: FastifyInstance;
let counts: RequestCounts;
let port: number;
/** Ends the requests to `/slow`. */
let release: () => void;
let slowOnes: number;

beforeEach(async () => {
  counts = new RequestCounts();
  server = fastify({ routerOptions: { ignoreTrailingSlash: true } });
  counts.attach(server);
  const released = Promise.withResolvers<void>();
  [release, slowOnes] = [released.resolve, 0];
  server.addHook(
    'onRequest',
    counts.counting((_request, _reply, done) => done()),
  );
  server.get('/ping', async () => 'pong');
  server.get('/things/:id', async (_request, reply) => reply.code(418).send());
  server.all('/all', async () => 'taken');
  server.get('/slow', async () => {
    slowOnes += 1;
    await released.promise;
    return 'at last';
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
  ({ port } = server.server.address() as AddressInfo);
});

afterEach(() => server.close());

/** Sends a request and reads its response. */
async function send(method: string, path: string): Promise<void> {
  const sent = request({ port, method, path, agent: false }).end();
  const [answer] = (await once(sent, 'response')) as [NodeJS.ReadableStream];
  await once(answer.resume(), 'end');
}

/** Opens a connection and sends the requests on it without waiting for responses. */
function pipelined(...paths: string[]): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`).join(''));
  return socket;
}

/** Waits until nothing is in flight and returns the counts by `<method> <route> <status>`. */
async function counted(): Promise<Record<string, number>> {
  await vi.waitFor(() => expect(counts.inFlight).toBe(0));
  const rows = counts.routes.flatMap((each) =>
    each.byStatus().map(([status, count]) => [`${each.method} ${each.route} ${status}`, count] as const),
  );
  expect(new Set(rows.map(([row]) => row)).size).toBe(rows.length);
  return Object.fromEntries(rows.filter(([, count]) => count > 0));
}

const observed = (route: string) => counts.durations.get(route)?.counts.reduce((sum, count) => sum + count, 0);

describe('requests', () => {
  it('are counted by method, route pattern and status; failures are reported as 0 before the first one', async () => {
    const failures = ['500', '503'].map((status) => [status, 0]);
    for (const each of counts.routes) expect(each.byStatus()).toEqual(failures);
    for (const path of ['/ping', '/ping/', '/ping?x=1', '/things/1', '/things/2']) await send('GET', path);
    await send('HEAD', '/ping');
    expect(await counted()).toEqual({ 'GET /ping 200': 3, 'HEAD /ping 200': 1, 'GET /things/:id 418': 2 });
    expect([observed('/ping'), observed('/things/:id'), observed('/slow')]).toEqual([4, 2, undefined]);
    expect(counts.durations.get('/ping')?.sum).toBeGreaterThan(0);
  });

  it('without a route are counted together, and so are uncommon methods', async () => {
    for (const path of ['/nowhere', '/ping/x', '/things']) await send('GET', path);
    for (const method of ['PROPFIND', 'MKCOL', 'LOCK', 'OPTIONS']) await send(method, '/nowhere');
    for (const method of ['GET', 'PUT', 'REPORT', 'TRACE', 'PURGE']) await send(method, '/all');
    expect(await counted()).toMatchObject({
      'GET unknown 404': 3,
      'other unknown 404': 5,
      'OPTIONS unknown 404': 1,
      'GET /all 200': 1,
      'PUT /all 200': 1,
    });
  });

  it('are in flight until their response is sent', async () => {
    const answers = [send('GET', '/slow'), send('GET', '/slow'), send('GET', '/slow')];
    await vi.waitFor(() => expect(counts.inFlight).toBe(3));
    release();
    await Promise.all(answers);
    expect(await counted()).toEqual({ 'GET /slow 200': 3 });
  });

  it('whose client disconnects are no longer in flight and have no status', async () => {
    const socket = pipelined('/slow');
    await vi.waitFor(() => expect(slowOnes).toBe(1));
    socket.destroy();
    expect(await counted()).toEqual({ 'GET /slow none': 1 });
    expect(observed('/slow')).toBeUndefined();
    release();
  });

  it('that are pipelined on one connection are counted individually', async () => {
    const socket = pipelined('/slow', '/ping', '/ping');
    await vi.waitFor(() => expect(counts.inFlight).toBe(3));
    release();
    expect(await counted()).toEqual({ 'GET /slow 200': 1, 'GET /ping 200': 2 });
    socket.destroy();
  });

  it('that wait behind another are no longer in flight once their connection breaks', async () => {
    const socket = pipelined('/slow', '/ping', '/slow', '/ping');
    await vi.waitFor(() => expect(counts.inFlight).toBe(4));
    socket.destroy();
    await vi.waitFor(() => expect(counts.inFlight).toBe(0));
    release();
    await send('GET', '/ping');
    expect(counts.inFlight).toBe(0);
    expect(await counted()).toMatchObject({ 'GET /ping 200': 1 });
  });
});
