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

/** Sends a request and reads its answer. */
async function ask(method: string, path: string): Promise<void> {
  const sent = request({ port, method, path, agent: false }).end();
  const [answer] = (await once(sent, 'response')) as [NodeJS.ReadableStream];
  await once(answer.resume(), 'end');
}

/** A connection on which requests are sent, one behind the other without waiting for answers. */
function pipelined(...paths: string[]): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`).join(''));
  return socket;
}

/** What was counted, as `<method> <route> <status>`, once nothing is in flight. */
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
  it('are counted by method, pattern of the route and status', async () => {
    for (const path of ['/ping', '/ping/', '/ping?x=1', '/things/1', '/things/2']) await ask('GET', path);
    await ask('HEAD', '/ping');
    expect(await counted()).toEqual({ 'GET /ping 200': 3, 'HEAD /ping 200': 1, 'GET /things/:id 418': 2 });
    expect([observed('/ping'), observed('/things/:id'), observed('/slow')]).toEqual([4, 2, undefined]);
    expect(counts.durations.get('/ping')?.sum).toBeGreaterThan(0);
  });

  it('that no route takes are counted as one, and methods that are not of the common ones too', async () => {
    for (const path of ['/nowhere', '/ping/x', '/things']) await ask('GET', path);
    for (const method of ['PROPFIND', 'MKCOL', 'LOCK', 'OPTIONS']) await ask(method, '/nowhere');
    for (const method of ['GET', 'PUT', 'REPORT', 'TRACE', 'PURGE']) await ask(method, '/all');
    expect(await counted()).toMatchObject({
      'GET unknown 404': 3,
      'other unknown 404': 5,
      'OPTIONS unknown 404': 1,
      'GET /all 200': 1,
      'PUT /all 200': 1,
    });
  });

  it('are in flight until they are answered', async () => {
    const answers = [ask('GET', '/slow'), ask('GET', '/slow'), ask('GET', '/slow')];
    await vi.waitFor(() => expect(counts.inFlight).toBe(3));
    release();
    await Promise.all(answers);
    expect(await counted()).toEqual({ 'GET /slow 200': 3 });
  });

  it('whose client leaves are no more in flight and have no status', async () => {
    const socket = pipelined('/slow');
    await vi.waitFor(() => expect(slowOnes).toBe(1));
    socket.destroy();
    expect(await counted()).toEqual({ 'GET /slow none': 1 });
    expect(observed('/slow')).toBeUndefined();
    release();
  });

  it('that come on one connection without waiting are counted each', async () => {
    const socket = pipelined('/slow', '/ping', '/ping');
    await vi.waitFor(() => expect(counts.inFlight).toBe(3));
    release();
    expect(await counted()).toEqual({ 'GET /slow 200': 1, 'GET /ping 200': 2 });
    socket.destroy();
  });

  it('that wait behind another on a connection that is cut are no more in flight', async () => {
    const socket = pipelined('/slow', '/ping', '/slow', '/ping');
    await vi.waitFor(() => expect(counts.inFlight).toBe(4));
    socket.destroy();
    await vi.waitFor(() => expect(counts.inFlight).toBe(0));
    release();
    await ask('GET', '/ping');
    expect(counts.inFlight).toBe(0);
    expect(await counted()).toMatchObject({ 'GET /ping 200': 1 });
  });
});

describe('failures', () => {
  it('are told of every route before there was one', () => {
    for (const each of counts.routes)
      expect(each.byStatus()).toEqual([
        ['500', 0],
        ['503', 0],
      ]);
  });
});
