import { StoreUnavailable } from '@keyfold/event-store';
import { describe, expect, it, vi } from 'vitest';
import { ModelEventStore } from '../../../event-store/testing/model-event-store.js';
import { newCommit } from '../../../event-store/testing/new-commit.js';
import { always, givenIn, idsOf } from '../../testing/slot-relay-case.js';

const given = (...accounts: string[]) => givenIn(new ModelEventStore(), newCommit, accounts);

describe('an account with a commit that cannot be sent', () => {
  it('is parked before the checkpoint passes the commit, and all others continue', async () => {
    const { newRelay, publisher, pageBehind, unknown, parked } = await given('a', 'b', 'a', 'a', 'b');
    unknown.add('a:2');
    const relay = newRelay();
    expect(await relay.handle(await pageBehind(0), always)).toBeUndefined();
    expect(publisher.arrived).toEqual(idsOf('a:1 b:1 b:2'));
    expect(await parked.all()).toEqual([
      { slot: 0, partition: 'a', position: 3, error: 'unknown event', at: 77, epoch: 1 },
    ]);
    expect(relay.parkedAccounts).toBe(1);
  });

  it('stops the checkpoint if the record cannot be written', async () => {
    const { newRelay, pageBehind, unknown, parked } = await given('b', 'a', 'b');
    unknown.add('a:1');
    const relay = newRelay();
    const park = vi.spyOn(parked, 'park').mockRejectedValueOnce(new StoreUnavailable('away'));
    await expect(relay.handle(await pageBehind(0), always)).rejects.toThrow('away');
    expect(await relay.handle(await pageBehind(0), always)).toBeUndefined();
    expect(park).toHaveBeenCalledTimes(2);
    expect(await parked.all()).toHaveLength(1);
  });

  it('is parked as well if the message is unsendable', async () => {
    const { newRelay, pageBehind, fates, parked } = await given('a', 'b');
    fates.set('a:1:0', 'unsendable');
    expect(await newRelay().handle(await pageBehind(0), always)).toBeUndefined();
    expect(await parked.all()).toMatchObject([{ partition: 'a', position: 1, error: 'too large' }]);
  });

  it('is sent all skipped commits, in order, once the commit can be sent', async () => {
    const { newRelay, publisher, pageBehind, unknown, parked, append, time } = await given('a', 'a', 'b', 'a');
    unknown.add('a:2');
    const relay = newRelay();
    await relay.handle(await pageBehind(0), always);
    await append('a');
    await relay.handle(await pageBehind(4), always);
    unknown.clear();
    time.now = 29_999;
    await relay.retryParked(5, always);
    expect(publisher.arrived).toEqual(idsOf('a:1 b:1'));
    time.now = 30_000;
    await relay.retryParked(5, always);
    await append('a');
    expect(await relay.handle(await pageBehind(5), always)).toBeUndefined();
    expect(publisher.arrived).toEqual(idsOf('a:1 b:1 a:2 a:3 a:4 a:5'));
    expect(await parked.all()).toEqual([]);
    expect(relay.hasParked).toBe(false);
  });

  it('is not resent commits from before the checkpoint', async () => {
    const { newRelay, publisher, pageBehind, unknown, time } = await given('a', 'a', 'a', 'b', 'a');
    unknown.add('a:4');
    const relay = newRelay();
    await relay.handle(await pageBehind(4), always);
    unknown.clear();
    time.now = 30_000;
    await relay.retryParked(5, always);
    expect(publisher.arrived).toEqual(idsOf('a:4'));
  });

  it('leaves no record behind if many are released at once', async () => {
    const accounts = ['a', 'b', 'c', 'd'];
    const { newRelay, pageBehind, unknown, parked, time } = await given(...accounts);
    for (const account of accounts) unknown.add(`${account}:1`);
    const relay = newRelay();
    await relay.handle(await pageBehind(0), always);
    unknown.clear();
    time.now = 30_000;
    await relay.retryParked(4, always);
    expect(relay.hasParked).toBe(false);
    expect(await parked.all()).toEqual([]);
  });

  it('stays parked while the commit cannot be sent, and is parked again at a later one', async () => {
    const { newRelay, publisher, pageBehind, unknown, parked, time } = await given('a', 'a', 'a');
    unknown.add('a:1').add('a:3');
    const relay = newRelay();
    await relay.handle(await pageBehind(0), always);
    time.now = 30_000;
    await relay.retryParked(3, always);
    expect(await parked.all()).toMatchObject([{ position: 1 }]);
    unknown.delete('a:1');
    time.now = 90_000;
    await relay.retryParked(3, always);
    expect(await parked.all()).toMatchObject([{ position: 3 }]);
    expect(publisher.arrived).toEqual(idsOf('a:1 a:2'));
  });

  it('is retried at once by a new holder of the slot, whose record the previous holder cannot remove', async () => {
    const { newRelay, publisher, pageBehind, unknown, parked } = await given('a', 'a', 'b');
    unknown.add('a:1');
    await newRelay(1).handle(await pageBehind(0), always);
    const [before] = await parked.all();
    const successor = newRelay(2);
    await successor.load();
    await parked.unpark(before!);
    expect(await parked.all()).toMatchObject([{ partition: 'a', position: 1, epoch: 2 }]);
    unknown.clear();
    await successor.retryParked(3, always);
    expect(publisher.arrived).toEqual(idsOf('b:1 a:1 a:2'));
    expect(await parked.all()).toEqual([]);
  });

  it('misses no commit that arrives while it is catching up', async () => {
    const { newRelay, publisher, pageBehind, unknown, append, time } = await given('a', 'a');
    unknown.add('a:1');
    const relay = newRelay();
    await relay.handle(await pageBehind(0), always);
    unknown.clear();
    time.now = 30_000;
    const publish = publisher.publish.bind(publisher);
    vi.spyOn(publisher, 'publish').mockImplementation(async (message) => {
      if (message.id === 'a:2:0') {
        await append('a');
        await relay.handle(await pageBehind(2), always);
      }
      return publish(message);
    });
    await relay.retryParked(2, always);
    await append('a');
    await relay.handle(await pageBehind(3), always);
    expect(publisher.arrived).toEqual(idsOf('a:1 a:2 a:3 a:4'));
  });

  it('has its record removed later if that fails at first', async () => {
    const { newRelay, pageBehind, unknown, parked, time } = await given('a');
    unknown.add('a:1');
    const relay = newRelay();
    await relay.handle(await pageBehind(0), always);
    unknown.clear();
    time.now = 30_000;
    vi.spyOn(parked, 'unpark').mockRejectedValueOnce(new StoreUnavailable('away'));
    await expect(relay.retryParked(1, always)).rejects.toThrow('away');
    expect(relay.hasParked).toBe(true);
    await relay.retryParked(1, always);
    expect(await parked.all()).toEqual([]);
  });
});

describe('many parked accounts', () => {
  const accounts = ['a', 'b', 'c', 'd', 'e', 'f'];

  it('are retried four at once, the longest due first, and hold back no change of another account', async () => {
    const { newRelay, pageBehind, unknown, publisher, append, time } = await given(...accounts);
    for (const account of accounts) unknown.add(`${account}:1`);
    const relay = newRelay();
    for (const [index, account] of ['f', 'e', 'd', 'c', 'b', 'a'].entries()) {
      time.now = index;
      const page = await pageBehind(0);
      await relay.handle(
        page.filter(({ partition }) => partition === account),
        always,
      );
    }
    unknown.clear();
    time.now = 40_000;
    const started: string[] = [];
    const answer = Promise.withResolvers<void>();
    const publish = publisher.publish.bind(publisher);
    vi.spyOn(publisher, 'publish').mockImplementation(async (message) => {
      started.push(message.id);
      if (!message.id.startsWith('g')) await answer.promise;
      return publish(message);
    });
    const retried = relay.retryParked(6, always);
    await vi.waitFor(() => expect(started).toHaveLength(4));
    await relay.retryParked(6, always);
    await append('g');
    expect(await relay.handle(await pageBehind(6), always)).toBeUndefined();
    expect(started).toEqual(idsOf('f:1 e:1 d:1 c:1 g:1'));
    answer.resolve();
    await retried;
    expect(started).toEqual(idsOf('f:1 e:1 d:1 c:1 g:1 b:1 a:1'));
  });

  it('are no longer retried once the slot is lost', async () => {
    const { newRelay, pageBehind, unknown, store, time } = await given(...accounts);
    for (const account of accounts) unknown.add(`${account}:1`);
    const relay = newRelay();
    await relay.handle(await pageBehind(0), always);
    time.now = 30_000;
    const read = vi.spyOn(store, 'readFeed');
    await relay.retryParked(6, () => false);
    expect(read).not.toHaveBeenCalled();
  });
});

describe('the pause of a parked account', () => {
  async function parkedOnce() {
    const scene = await given('a', 'b');
    scene.unknown.add('a:1');
    const relay = scene.newRelay();
    await relay.handle(await scene.pageBehind(0), always);
    const read = vi.spyOn(scene.store, 'readFeed');
    /** Returns the seconds until the account is retried. */
    const pause = async () => {
      read.mockClear();
      const began = scene.time.now;
      while (read.mock.calls.length === 0) {
        scene.time.now += 1_000;
        await relay.retryParked(2, always);
      }
      return (scene.time.now - began) / 1_000;
    };
    return { ...scene, relay, pause };
  }

  it('doubles from 30 seconds up to five minutes', async () => {
    const { pause } = await parkedOnce();
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 6; attempt++) pauses.push(await pause());
    expect(pauses).toEqual([30, 60, 120, 240, 300, 300]);
  });

  it('is 30 seconds again after a new commit of the account, however often that is read', async () => {
    const { pause, append, relay, pageBehind, time } = await parkedOnce();
    for (let attempt = 0; attempt < 5; attempt++) await pause();
    await append('a');
    await relay.handle(await pageBehind(2), always);
    time.now += 20_000;
    await relay.handle(await pageBehind(2), always);
    expect(await pause()).toBe(10);
    await relay.handle(await pageBehind(2), always);
    expect(await pause()).toBe(300);
  });
});
