import { StoreUnavailable } from '@keyfold/event-store';
import { connectOptions, migrateSchema } from '@keyfold/event-store/mongo';
import { accounts, accountStream } from '@keyfold/projections';
import { MongoReadModelStore, projectionModels } from '@keyfold/projections/mongo';
import { MongoThrottleStore, throttleModels } from '@keyfold/security/mongo';
import mongoose, { type Connection } from 'mongoose';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { active } from '../../libs/projections/testing/read-model-store.contract.js';
import { key, NOON } from '../../libs/security/testing/throttled-keys.js';
import { proxiedMongod } from '../support/mongo/proxied-mongod.js';

/** The time within which an operation fails: it may run twice, and each attempt waits for a server and an answer. */
const BOUND = 30_000;
const account = accountStream(7);
const first = { state: active(7), version: 1 };

const { set, proxy } = await proxiedMongod();
let connection: Connection;
let readModels: MongoReadModelStore;
let throttle: MongoThrottleStore;

beforeEach(async () => {
  connection = await mongoose.createConnection(proxy.uri(`keyfold-test-${randomUUID()}`), connectOptions).asPromise();
  await migrateSchema(connection, [...projectionModels(connection), ...throttleModels(connection)]);
  readModels = new MongoReadModelStore(connection);
  throttle = new MongoThrottleStore(connection);
});
afterEach(async () => {
  await readModels.close();
  await connection.close();
});

describe('while MongoDB is down', () => {
  it('every operation fails within a bounded time and works again afterwards', async () => {
    await readModels.put(account, first);
    await readModels.list(accounts, 0, 10);
    for (let n = 0; n < 5; n++) await throttle.admit([key('blocked')], NOON);
    await proxy.setRefusing(true);
    proxy.resetConnections();
    const began = performance.now();
    const outcomes = await Promise.allSettled([
      readModels.get([account]),
      readModels.put(account, { ...first, version: 2 }),
      readModels.replace(account, first),
      readModels.remove(accountStream(8), 1),
      readModels.list(accounts, 0, 10),
      new MongoReadModelStore(connection).list(accounts, 0, 10),
      readModels.documents(accounts, '', 10),
      readModels.park({ stream: 'account-8', partition: '8', version: 1, error: 'unknown', at: NOON }),
      readModels.unpark({ stream: 'account-9', partition: '9', version: 1, error: 'unknown', at: NOON }),
      readModels.parked(),
      throttle.admit([key('a')], NOON),
      throttle.admit([key('blocked')], NOON),
      throttle.apply({ reset: ['a'] }),
    ]);
    expect(performance.now() - began).toBeLessThan(BOUND);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) });
    }
    await proxy.setRefusing(false);
    await vi.waitUntil(() => readModels.get([account]).catch(() => undefined), { timeout: BOUND, interval: 100 });
    expect(await readModels.get([account])).toEqual(new Map([['account-7', first]]));
    expect(await readModels.list(accounts, 0, 10)).toEqual({ items: [active(7)], total: 1 });
    expect(await throttle.admit([key('a')], NOON)).toEqual({ admitted: true, failures: [1] });
  });
});

describe('a lost answer', () => {
  it('does not count an attempt twice', async () => {
    const direct = await mongoose.createConnection(set.node(0).uri(connection.name), connectOptions).asPromise();
    onTestFinished(() => direct.close());
    const counters = direct.collection<{ _id: string; failures: number }>('throttle');
    const { reportFailures: _reportFailures, ...silent } = key('a');
    await throttle.admit([silent], NOON);
    for (const keys of [[silent, key('b')], [key('a')]]) {
      proxy.setDroppingResponses(true);
      const admission = throttle.admit(keys, NOON);
      // The server has done it; the driver retries on another connection.
      await vi.waitUntil(() => counts(keys), { timeout: BOUND, interval: 20 });
      proxy.setDroppingResponses(false);
      expect(await admission).toMatchObject({ admitted: true });
    }
    expect(await throttle.admit([key('a')], NOON)).toEqual({ admitted: true, failures: [4] });
    expect(await throttle.admit([key('b')], NOON)).toEqual({ admitted: true, failures: [2] });

    async function counts(keys: readonly { key: string }[]): Promise<boolean> {
      const expected = keys.length === 2 ? 2 : 3;
      return (await counters.findOne({ _id: 'a' }))?.failures === expected;
    }
  });
});
