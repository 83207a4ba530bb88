import { describe, expect, it, vi } from 'vitest';
import { ModelEventStore } from '../../../event-store/testing/model-event-store.js';
import { newCommit } from '../../../event-store/testing/new-commit.js';
import { ModelPublisher, type Fate } from '../../testing/model-publisher.js';
import { always, givenIn, idsOf } from '../../testing/slot-relay-case.js';

const given = (...accounts: string[]) => givenIn(new ModelEventStore(), newCommit, accounts);

describe('a page of commits', () => {
  it('is published in order for each account, with one message of each in flight', async () => {
    const { newRelay, publisher, pageBehind } = await given('a', 'b', 'a', 'a', 'b');
    expect(await newRelay().handle(await pageBehind(0), always)).toBeUndefined();
    expect(publisher.arrived.filter((id) => id.startsWith('a'))).toEqual(idsOf('a:1 a:2 a:3'));
    expect(publisher.arrived.filter((id) => id.startsWith('b'))).toEqual(idsOf('b:1 b:2'));
    expect(publisher.crowded).toEqual([]);
  });

  it('is published concurrently for different accounts', async () => {
    const { newRelay, publisher, pageBehind } = await given('a', 'b', 'c');
    const waiting = vi.fn<() => Promise<Fate>>(() => new Promise(() => {}));
    const stuck = new ModelPublisher(waiting);
    vi.spyOn(publisher, 'publish').mockImplementation((message) => stuck.publish(message));
    void newRelay().handle(await pageBehind(0), always);
    await vi.waitFor(() => expect(waiting).toHaveBeenCalledTimes(3));
  });

  it('is counted by its messages, and each message by the time to its confirm', async () => {
    const { newRelay, publisher, pageBehind, append, time, outlet } = await given('a', 'b');
    await append('a', 2);
    const confirm = publisher.publish.bind(publisher);
    vi.spyOn(publisher, 'publish').mockImplementation(async (message) => {
      await confirm(message);
      time.now += 250;
    });
    const relay = newRelay();
    await relay.handle(await pageBehind(0), always);
    await append('a', 0);
    await relay.handle(await pageBehind(3), always);
    expect(outlet.pages.sum).toBe(4);
    expect(outlet.pages.counts.filter((count) => count > 0)).toEqual([1, 1]);
    expect(outlet.confirms.counts.reduce((sum, count) => sum + count)).toBe(4);
    expect(outlet.confirms.sum).toBeGreaterThanOrEqual(1);
  });

  it('is done without a message if no event of it is public', async () => {
    const { newRelay, publisher, pageBehind, append } = await given();
    await append('a', 0);
    expect(await newRelay().handle(await pageBehind(0), always)).toBeUndefined();
    expect(publisher.arrived).toEqual([]);
  });
});

describe('an account with a refused message', () => {
  it('stalls only itself and the checkpoint', async () => {
    const { newRelay, publisher, pageBehind, fates, outlet } = await given('a', 'b', 'a', 'b');
    fates.set('a:1:0', 'refused');
    const relay = newRelay();
    expect(await relay.handle(await pageBehind(0), always)).toEqual({ upTo: 0, againAfter: 100 });
    expect(publisher.arrived).toEqual(idsOf('b:1 b:2'));
    expect(outlet).toMatchObject({ published: 2, refused: 1, retried: 0 });
  });

  it('continues after its back-off, without resending messages of other accounts', async () => {
    const { newRelay, publisher, pageBehind, fates, time } = await given('b', 'a', 'b', 'a', 'b');
    fates.set('a:1:0', 'refused');
    const relay = newRelay();
    expect(await relay.handle(await pageBehind(0), always)).toMatchObject({ upTo: 1 });
    fates.clear();
    time.now = 99;
    expect(await relay.handle(await pageBehind(1), always)).toEqual({ upTo: 1, againAfter: 1 });
    time.now = 100;
    expect(await relay.handle(await pageBehind(1), always)).toBeUndefined();
    expect(publisher.arrived).toEqual(idsOf('b:1 b:2 b:3 a:1 a:2'));
  });

  it.each(['refused', 'unsent'] as const)(
    'is stalled by a message that was %s until one is confirmed',
    async (fate) => {
      const { newRelay, pageBehind, fates, time } = await given('a');
      fates.set('a:1:0', fate);
      const relay = newRelay();
      await relay.handle(await pageBehind(0), always);
      expect(relay.isStalled).toBe(true);
      fates.clear();
      time.now = 100;
      await relay.handle(await pageBehind(0), always);
      expect(relay.isStalled).toBe(false);
    },
  );

  it('doubles its back-off up to 30 seconds and resets it after a confirm', async () => {
    const { newRelay, pageBehind, fates, time, publisher } = await given('a', 'a');
    fates.set('a:1:0', 'refused');
    const relay = newRelay();
    const waits: number[] = [];
    for (let attempts = 0; attempts < 12; attempts++) {
      const before = publisher.publish;
      const tried = vi.fn<typeof before>((message) => before.call(publisher, message));
      publisher.publish = tried;
      const began = time.now;
      while (tried.mock.calls.length === 0) {
        await relay.handle(await pageBehind(0), always);
        if (tried.mock.calls.length === 0) time.now += 50;
      }
      publisher.publish = before;
      waits.push(time.now - began);
    }
    expect(waits).toEqual([0, 100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]);
    fates.set('a:1:0', 'confirmed').set('a:2:0', 'refused');
    time.now += 30_000;
    expect(await relay.handle(await pageBehind(0), always)).toEqual({ upTo: 1, againAfter: 100 });
  });

  it('continues in the middle of a commit', async () => {
    const { newRelay, publisher, pageBehind, append, fates, time } = await given();
    await append('a', 3);
    fates.set('a:1:1', 'refused');
    const relay = newRelay();
    await relay.handle(await pageBehind(0), always);
    fates.clear();
    time.now = 100;
    await relay.handle(await pageBehind(0), always);
    expect(publisher.arrived).toEqual(['a:1:0', 'a:1:1', 'a:1:2']);
  });

  it('does not delay new commits of others by its back-off', async () => {
    const { newRelay, pageBehind, fates, time } = await given('a');
    fates.set('a:1:0', 'refused');
    const relay = newRelay();
    for (const now of [0, 100, 300, 700, 1_500]) {
      time.now = now;
      const handled = await relay.handle(await pageBehind(0), always);
      expect(handled!.againAfter).toBeLessThanOrEqual(1_000);
    }
  });
});

describe('a broker outage', () => {
  it('leaves the rest to the next page, and only unconfirmed messages are resent', async () => {
    const { newRelay, publisher, pageBehind, fates, outlet } = await given('a', 'b', 'a');
    fates.set('b:1:0', 'lost');
    const relay = newRelay();
    expect(await relay.handle(await pageBehind(0), always)).toEqual({ upTo: 1, againAfter: 100 });
    fates.clear();
    expect(await relay.handle(await pageBehind(1), always)).toBeUndefined();
    expect(publisher.arrived.toSorted()).toEqual(idsOf('a:1 a:2 b:1 b:1').toSorted());
    expect(outlet.retried).toBe(1);
  });

  it('stops sending, as does the loss of the slot', async () => {
    const { newRelay, publisher, pageBehind } = await given('a', 'b');
    publisher.isReady = false;
    expect(await newRelay().handle(await pageBehind(0), always)).toMatchObject({ upTo: 0 });
    publisher.isReady = true;
    expect(await newRelay().handle(await pageBehind(0), () => false)).toMatchObject({ upTo: 0 });
    expect(publisher.arrived).toEqual([]);
  });

  it('without an error ends the page at its timeout, with at most one message of an account in flight', async () => {
    const { newRelay, publisher, pageBehind } = await given('a', 'b', 'a');
    const answer = Promise.withResolvers<Fate>();
    const slow = new ModelPublisher(({ id }) => (id === 'a:1:0' ? answer.promise : 'confirmed'));
    vi.spyOn(publisher, 'publish').mockImplementation((message) => slow.publish(message));
    const relay = newRelay();
    vi.useFakeTimers();
    try {
      for (let attempts = 0; attempts < 2; attempts++) {
        const handled = relay.handle(await pageBehind(0), always);
        await vi.advanceTimersByTimeAsync(5_000);
        expect(await handled).toEqual({ upTo: 0, againAfter: 100 });
      }
    } finally {
      vi.useRealTimers();
    }
    answer.resolve('confirmed');
    expect(await relay.handle(await pageBehind(0), always)).toBeUndefined();
    expect(slow.arrived.toSorted()).toEqual(idsOf('a:1 a:2 b:1').toSorted());
    expect(slow.crowded).toEqual([]);
  });
});
