import { setImmediate } from 'node:timers/promises';
import { Contended, StoreUnavailable } from '@keyfold/event-store';
import { describe, expect, it, vi } from 'vitest';
import { ModelEventStore } from '../../../event-store/testing/model-event-store.js';
import { newCommit } from '../../../event-store/testing/new-commit.js';
import { SlotRelay } from '../../../messaging/src/relay/slot-relay.js';
import { ModelParkedAccounts } from '../../../messaging/testing/model-parked-accounts.js';
import { MirrorBlocked, OpenListRefused, OpenListUnavailable } from '../api/openlist.errors.js';
import { OpenListOutlet } from './openlist-outlet.js';

const held = () => true;

/** A slot of a relay to an OpenList that answers, and its clock. */
async function given() {
  const store = new ModelEventStore();
  const parked = new ModelParkedAccounts();
  const carried: number[] = [];
  const time = { now: 0 };
  const carry = vi.fn<(account: number) => Promise<void>>(async (account) => void carried.push(account));
  const listeners: ((isAvailable: boolean) => void)[] = [];
  const availability = {
    isAvailable: true,
    onChange: (listener: (isAvailable: boolean) => void) => {
      listeners.push(listener);
      return () => undefined;
    },
  };
  const setAvailable = (isAvailable: boolean) => {
    availability.isAvailable = isAvailable;
    for (const listener of listeners) listener(isAvailable);
  };
  const outlet = new OpenListOutlet({ carry }, availability);
  const relay = new SlotRelay(0, 1, {
    feed: store,
    outlet,
    parked,
    onParked: () => undefined,
    clock: () => 77,
    now: () => time.now,
    pageTimeout: 5_000,
  });
  const versions = new Map<string, number>();
  const append = async (...streams: string[]) => {
    for (const stream of streams) {
      const version = (versions.get(stream) ?? 0) + 1;
      versions.set(stream, version);
      await store.append(newCommit(stream, version, { partition: stream.replace(/^\D+/, '') }));
    }
  };
  const read = async (after = 0, isHeld = held) => relay.handle(await store.readFeed(0, after, 500), isHeld);
  return { append, read, relay, outlet, carry, setAvailable, carried, parked, time };
}

describe('a page of commits', () => {
  it('carries each changed account once, and nothing for other streams', async () => {
    const { append, read, carried, outlet } = await given();
    await append('account-7', 'ssh-keys-7', 'account-8', 'account-7', 'openlist-user-9', 'session-1', 'ssh-keys-8');
    expect(await read()).toBeUndefined();
    expect(carried).toEqual([7, 8]);
    expect(outlet.carried).toBe(2);
  });

  it('carries an account again that changed after a carry began', async () => {
    const { append, read, carry } = await given();
    const first = Promise.withResolvers<void>();
    carry.mockReturnValueOnce(first.promise);
    await append('account-7');
    const reading = read();
    await vi.waitFor(() => expect(carry).toHaveBeenCalledTimes(1));
    await append('ssh-keys-7');
    first.resolve();
    expect(await reading).toBeUndefined();
    expect(await read(1)).toBeUndefined();
    expect(carry).toHaveBeenCalledTimes(2);
  });

  it('carries at most four accounts at once, and none that still waits when the slot is lost', async () => {
    const { append, read, carry } = await given();
    const first = Promise.withResolvers<void>();
    carry.mockReturnValue(first.promise);
    await append(...Array.from({ length: 20 }, (_, index) => `account-${index + 1}`));
    let isHeld = true;
    const reading = read(0, () => isHeld);
    await vi.waitFor(() => expect(carry).toHaveBeenCalledTimes(4));
    await setImmediate();
    isHeld = false;
    first.resolve();
    expect(await reading).toMatchObject({ upTo: 4 });
    expect(carry).toHaveBeenCalledTimes(4);
  });
});

describe('an account whose mirror cannot be made', () => {
  it('is parked with the reason while others continue, and carried once when that is repaired', async () => {
    const { append, read, relay, carry, carried, parked, time } = await given();
    carry.mockRejectedValueOnce(new MirrorBlocked('the name is taken in OpenList'));
    await append('account-7', 'account-8', 'ssh-keys-7');
    expect(await read()).toBeUndefined();
    expect(await parked.all()).toMatchObject([
      { partition: '7', position: 1, error: 'the name is taken in OpenList', at: 77 },
    ]);
    await append('account-7');
    expect(await read(3)).toBeUndefined();
    expect(carried).toEqual([8]);
    time.now = 30_000;
    await relay.retryParked(4, held);
    expect(carried).toEqual([8, 7]);
    expect(await parked.all()).toEqual([]);
  });

  it('is parked without the text of an unexpected error', async () => {
    const { append, read, carry, parked } = await given();
    carry.mockRejectedValueOnce(new TypeError('ann has no key'));
    await append('account-7');
    await read();
    expect(await parked.all()).toMatchObject([{ error: 'unexpected error: TypeError' }]);
  });
});

describe('an error of the store', () => {
  it('fails the page if the store is down', async () => {
    const { append, read, carry } = await given();
    carry.mockRejectedValueOnce(new StoreUnavailable('the disk is full'));
    await append('account-7');
    await expect(read()).rejects.toThrow('the disk is full');
    expect(await read()).toBeUndefined();
  });

  it('delays only its account if other writers were faster', async () => {
    const { append, read, carry, carried } = await given();
    carry.mockRejectedValueOnce(new Contended('others were faster'));
    await append('account-7', 'account-8');
    expect(await read()).toEqual({ upTo: 0, againAfter: 100 });
    expect(carried).toEqual([8]);
  });
});

describe('an outage of OpenList', () => {
  it('parks nothing and pauses until OpenList answers again', async () => {
    const { append, read, outlet, carry, setAvailable, parked } = await given();
    const ready = vi.fn<() => void>();
    outlet.onReady(ready);
    carry.mockImplementationOnce(() => {
      setAvailable(false);
      return Promise.reject(new OpenListUnavailable('no answer'));
    });
    await append('account-7', 'account-8');
    expect(await read()).toMatchObject({ upTo: 0 });
    expect(await read()).toMatchObject({ upTo: 0 });
    expect([outlet.isReady, outlet.problem, await parked.all()]).toEqual([false, 'no answer', []]);
    expect(ready).not.toHaveBeenCalled();
    setAvailable(true);
    expect(ready).toHaveBeenCalledTimes(1);
    expect(await read()).toBeUndefined();
    expect(outlet.problem).toBeUndefined();
  });

  it('of one account, while OpenList answers, delays only that account', async () => {
    const { append, read, outlet, carry, carried, parked } = await given();
    carry.mockRejectedValueOnce(new OpenListUnavailable('another process updates the mirror'));
    await append('account-7', 'account-8');
    expect(await read()).toEqual({ upTo: 0, againAfter: 100 });
    expect([outlet.isReady, carried, await parked.all()]).toEqual([true, [8], []]);
  });
});

describe('an account that fails again and again while OpenList answers', () => {
  /** Reads pages until everything is passed or parked, at most as often as an account may fail. */
  async function readUntilDone({ read, time }: Awaited<ReturnType<typeof given>>) {
    let position = 0;
    for (let page = 0; page < 5; page++) {
      const handled = await read(position);
      if (!handled) return true;
      position = handled.upTo;
      time.now += 30_000;
    }
    return false;
  }
  const failing = (error: Error) => async (account: number) => {
    if (account === 7) throw error;
  };

  it('is parked after five failures, with a constant reason, and holds back no other account', async () => {
    const scene = await given();
    const { append, carry, parked, relay, time } = scene;
    carry.mockImplementation(failing(new OpenListUnavailable('no answer about ann')));
    await append('account-7', 'account-8', 'account-7', 'account-9');
    expect(await readUntilDone(scene)).toBe(true);
    expect(carry.mock.calls.filter(([account]) => account === 7)).toHaveLength(5);
    expect(await parked.all()).toMatchObject([
      { partition: '7', error: 'OpenList answers, but failed 5 times in a row for this account. Its log says why' },
    ]);
    await append('account-8');
    expect(await scene.read(4)).toBeUndefined();
    carry.mockResolvedValue();
    time.now += 30_000;
    await relay.retryParked(5, held);
    expect(await parked.all()).toEqual([]);
  });

  it('is not parked if OpenList refuses the static token, which concerns all accounts', async () => {
    const scene = await given();
    const refused = new OpenListUnavailable('refused', { cause: new OpenListRefused(401, 'token') });
    scene.carry.mockImplementation(failing(refused));
    await scene.append('account-7');
    expect(await readUntilDone(scene)).toBe(false);
    expect(await scene.parked.all()).toEqual([]);
  });
});
