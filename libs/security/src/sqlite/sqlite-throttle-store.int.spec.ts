import { expect, it, onTestFinished, vi } from 'vitest';
import { OtherThread } from '../../../event-store/testing/other-thread.js';
import { connectTo, openThrottle } from '../../testing/embedded-throttle.js';
import { key, MINUTE, NOON, refused } from '../../testing/throttled-keys.js';
import { describeThrottleStore } from '../../testing/throttle-store.contract.js';
import { SqliteThrottleStore } from './sqlite-throttle-store.js';

describeThrottleStore('SQLite', async () => {
  const { file, store } = openThrottle();
  // Only one process has the file, but its threads have connections of their own.
  return { store, join: async () => new SqliteThrottleStore(connectTo(file)) };
});

describeThrottleStore('SQLite on a further connection', async () => {
  const { file } = openThrottle();
  const store = () => new SqliteThrottleStore(connectTo(file));
  return { store: store(), join: async () => store() };
});

describeThrottleStore('SQLite in two threads', async () => {
  const { file, store } = openThrottle();
  const other = new OtherThread(file, new URL('sqlite-throttle-store.ts', import.meta.url));
  onTestFinished(() => other.close());
  const alternating = other.alternating(store, ['admit', 'secondsBlocked', 'apply', 'forgetAll', 'isRemembered']);
  return { store: alternating, join: async () => alternating };
});

it('counters survive when the file is closed and opened again', async () => {
  const { file, store } = openThrottle();
  for (let n = 0; n < 5; n++) await store.admit([key('a')], NOON);
  await file.close();
  expect(await openThrottle(file.path).store.admit([key('a')], NOON)).toMatchObject({ admitted: false });
});

it('an attempt on a blocked key writes nothing', async () => {
  const { file, store } = openThrottle();
  for (let n = 0; n < 5; n++) await store.admit([key('a')], NOON);
  const write = vi.spyOn(file, 'write');
  expect(await store.admit([key('b'), key('a')], NOON)).toEqual(refused(300));
  expect(write).not.toHaveBeenCalled();
});

it('each attempt deletes some expired counters', async () => {
  const { file, store } = openThrottle();
  for (let n = 0; n < 100; n++) await store.admit([key(`source ${n}`)], NOON);
  for (let n = 0; n < 10; n++) await store.admit([key('a')], NOON + 6 * MINUTE + n * 6 * MINUTE);
  expect(file.read('SELECT key FROM throttle')).toEqual([{ key: 'a' }]);
});
