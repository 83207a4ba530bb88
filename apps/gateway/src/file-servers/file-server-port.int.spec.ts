import { StoreUnavailable } from '@keyfold/event-store';
import { Fault } from '@keyfold/http-envelope';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { faultOf } from '../http/fault-of.js';
import { received } from './file-server-answer.js';
import { FileServerCounts } from './file-server-counts.js';
import { FileServerPort } from './file-server-port.js';
import type { FileServerRoute } from './file-server-routes.js';
import type { ServerToken } from './server-token.js';

const accepting = { check: () => Promise.resolve({ caller: {} }) } as unknown as ServerToken;

async function opened(handle: FileServerRoute['handle']) {
  const routes = new Map([['/ssh-keys', { method: 'GET', scope: 'keys:look-up', handle }] as const]);
  const counts = new FileServerCounts(routes);
  const reported: string[] = [];
  const port = await FileServerPort.open('127.0.0.1', 0, {
    routes,
    counts,
    token: accepting,
    faults: (error) => faultOf(error, (message) => reported.push(message)),
    unexpected: (error, path) => {
      reported.push(`${path}: ${String(error)}`);
      return new Fault(500, 'internal error');
    },
  });
  onTestFinished(() => port.close());
  const get = async () => {
    const answer = await fetch(`${port.url}/ssh-keys?username=ann`);
    const { code, message } = (await answer.json()) as { code: number; message: string };
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), code, message };
  };
  return { port, counts, reported, get };
}

it('answers 503 with Retry-After while the store is away, and reports it', async () => {
  const { get, reported } = await opened(() => Promise.reject(new StoreUnavailable('MongoDB is away')));
  expect(await get()).toEqual({ status: 503, retryAfter: '5', code: 503, message: 'the store is not available' });
  expect(reported).toEqual(['MongoDB is away']);
});

it('answers 503 with Retry-After if the store takes longer than a login should wait', async () => {
  const { get } = await opened(() => new Promise(() => {}));
  const since = performance.now();
  expect(await get()).toMatchObject({ status: 503, retryAfter: '1' });
  expect(performance.now() - since).toBeLessThan(10_000);
});

it('answers an unexpected error with 500, and reports it with the path alone', async () => {
  const { get, reported } = await opened(() => Promise.reject(new Error('a bug')));
  expect(await get()).toMatchObject({ status: 500, message: 'internal error' });
  expect(reported).toEqual(['/ssh-keys: Error: a bug']);
});

it('answers requests in flight before it closes', async () => {
  const started = Promise.withResolvers<void>();
  const { port, counts } = await opened(async () => {
    started.resolve();
    await sleep(200);
    return received;
  });
  const answer = fetch(`${port.url}/ssh-keys`);
  await started.promise;
  expect(counts.inFlight).toBe(1);
  await port.close();
  expect((await answer).status).toBe(204);
  expect(counts.inFlight).toBe(0);
  await expect(fetch(port.url)).rejects.toThrow('fetch failed');
});
