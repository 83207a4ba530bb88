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
    time.now = 60_000;
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
