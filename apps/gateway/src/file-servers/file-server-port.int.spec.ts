import { Logger } from '@nestjs/common';
import { CommandBus, QueryBus, type IQuery } from '@nestjs/cqrs';
import { CallerIdentifier, SecurityLog } from '@keyfold/application';
import { StoreUnavailable } from '@keyfold/event-store';
import { createLog, Metrics } from '@keyfold/process';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { FileServerPort } from './file-server-port.js';

const logged: string[] = [];
beforeAll(() => {
  const log = (fields: { url?: string }, ...rest: string[]) => logged.push([fields.url, rest[0]].join(' '));
  Logger.overrideLogger({ log: () => {}, warn: () => {}, error: log });
});

/** Opens the port with this handler of queries. Every token is accepted. */
async function opened(execute: (query: IQuery) => Promise<unknown>) {
  logged.length = 0;
  const services = new Map<unknown, unknown>([
    [QueryBus, { execute }],
    [CommandBus, {}],
    [CallerIdentifier, { identifyCached: () => ({}) }],
    [SecurityLog, {}],
  ]);
  const metrics = new Metrics();
  const port = await FileServerPort.open(
    { get: (token: unknown) => services.get(token) as never },
    { KEYFOLD_SERVERS_HOST: '127.0.0.1', KEYFOLD_SERVERS_PORT: 0, KEYFOLD_SERVERS_TRUSTED: [] },
    { log: createLog('fatal', false), metrics, onTerminal: true },
  );
  onTestFinished(() => port!.close());
  const headers = { authorization: `Bearer kf_${'x'.repeat(42)}` };
  const ask = (query = 'username=ann') => fetch(`${port!.url}/ssh-keys?${query}`, { headers });
  const get = async () => {
    const answer = await ask();
    const { code, message } = (await answer.json()) as { code: number; message: string };
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), code, message };
  };
  const inFlight = async () =>
    (await metrics.samples()).find(({ name }) => name === 'keyfold_servers_requests_in_flight')?.value;
  return { port: port!, ask, get, inFlight };
}

it('answers 503 with Retry-After while the store is down, and reports it', async () => {
  const { get } = await opened(() => Promise.reject(new StoreUnavailable('MongoDB is down')));
  expect(await get()).toEqual({ status: 503, retryAfter: '5', code: 503, message: 'the store is not available' });
  expect(logged).toEqual([expect.stringContaining('MongoDB is down')]);
});

it('answers 503 with Retry-After if the store takes longer than a login should wait', async () => {
  const slow = Promise.withResolvers<null>();
  const { get } = await opened(() => slow.promise);
  const since = performance.now();
  expect(await get()).toMatchObject({ status: 503, retryAfter: '1', message: 'the answer took too long' });
  expect(performance.now() - since).toBeLessThan(10_000);
  slow.resolve(null);
  expect(await get()).toMatchObject({ status: 200 });
  expect(logged).toEqual([]);
});

it('answers an unexpected error with 500, and reports it with the path alone', async () => {
  const { get } = await opened(() => Promise.reject(new Error('a bug')));
  expect(await get()).toMatchObject({ status: 500, message: expect.stringMatching(/^internal error, id /) });
  expect(logged).toEqual(['/ssh-keys request failed']);
});

it('answers requests in flight before it closes', async () => {
  const started = Promise.withResolvers<void>();
  const { port, ask, inFlight } = await opened(async () => {
    started.resolve();
    await sleep(200);
    return null;
  });
  const answer = ask();
  await started.promise;
  expect(await inFlight()).toBe(1);
  await port.close();
  expect((await answer).status).toBe(200);
  expect(await inFlight()).toBe(0);
  await expect(fetch(port.url)).rejects.toThrow('fetch failed');
});

it('runs one look-up at an earlier time, lets 16 wait, and refuses further ones until one ends', async () => {
  const ends: (() => void)[] = [];
  const { ask, inFlight } = await opened(() => new Promise((resolve) => ends.push(() => resolve(null))));
  const askAt = () => ask('username=ann&at=2026-01-01T00:00:00Z');
  const accepted = Array.from({ length: 17 }, askAt);
  await vi.waitFor(async () => expect(await inFlight()).toBe(17));
  expect(ends).toHaveLength(1);
  const refused = await askAt();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  ends[0]!();
  await Promise.race(accepted);
  accepted.push(askAt());
  for (let index = 1; index < 18; index++) {
    await vi.waitFor(() => expect(ends.length).toBeGreaterThan(index));
    ends[index]!();
  }
  expect((await Promise.all(accepted)).map(({ status }) => status)).toEqual(accepted.map(() => 200));
});
