import { beforeAll, describe, expect, it } from 'vitest';
import { unused } from './new-commit.js';
import { LeaseLost, type FeedLeases, type Lease } from '../src/feed/feed-leases.js';

/** Longer than any test takes, in milliseconds. */
const LONG = 60_000;

/** Runs the contract of the port against an adapter. What only several processes can meet stands in `describeSharedFeedLeases`. */
export function describeFeedLeases(name: string, open: () => Promise<FeedLeases>): void {
  describe(`${name} keeps the contract of feed leases`, () => {
    let leases: FeedLeases;
    beforeAll(async () => {
      leases = await open();
    });

    it('the clock of the store is about right and advances', async () => {
      const before = await leases.now();
      expect(Math.abs(before - Date.now())).toBeLessThan(LONG);
      await expect.poll(() => leases.now()).toBeGreaterThan(before);
    });

    it('a member is in its own list, and may join again', async () => {
      const reader = unused('reader');
      expect(await leases.join(reader, 'ann', LONG)).toEqual(['ann']);
      expect(await leases.join(reader, 'ann', LONG)).toEqual(['ann']);
    });

    it('a member is in its own list even if its membership has expired', async () => {
      expect(await leases.join(unused('reader'), 'ann', 0)).toEqual(['ann']);
    });

    it('all requested slots are taken, each from the beginning', async () => {
      const reader = unused('reader');
      const taken = await leases.take(reader, 'ann', [3, 0, 7], LONG);
      expect(bySlot(taken)).toEqual([0, 3, 7].map((slot) => ({ reader, slot, owner: 'ann', epoch: 1, position: 0 })));
      expect(await leases.take(reader, 'ann', [], LONG)).toEqual([]);
    });

    it('a renewed lease is the same one and keeps its position', async () => {
      const reader = unused('reader');
      const [lease] = await leases.take(reader, 'ann', [0], LONG);
      await leases.advance(lease!, 5);
      expect(await leases.take(reader, 'ann', [0], LONG)).toEqual([{ ...lease, position: 5 }]);
    });

    it('a checkpoint only moves forward, separately for each reader and slot', async () => {
      const [reader, other] = [unused('projector:accounts_1,sessions_1'), unused('relay')];
      const [first, second] = bySlot(await leases.take(reader, 'ann', [0, 1], LONG));
      await leases.take(other, 'ann', [0], LONG);
      for (const position of [5, 3, 9, 9, 8]) await leases.advance(first!, position);
      await leases.advance(second!, 2);
      expect(await leases.progress(reader)).toEqual([
        { slot: 0, position: 9, owner: 'ann' },
        { slot: 1, position: 2, owner: 'ann' },
      ]);
      expect(await leases.progress(other)).toEqual([{ slot: 0, position: 0, owner: 'ann' }]);
      expect(await leases.progress(unused('reader'))).toEqual([]);
    });

    it('concurrent checkpoints are all stored', async () => {
      const reader = unused('reader');
      const slots = Array.from({ length: 20 }, (_, slot) => slot);
      const taken = await leases.take(reader, 'ann', slots, LONG);
      await Promise.all(taken.flatMap((lease) => [leases.advance(lease, 4 + lease.slot), leases.advance(lease, 2)]));
      expect(await leases.progress(reader)).toEqual(slots.map((slot) => ({ slot, position: 4 + slot, owner: 'ann' })));
    });

    it('a released slot is free and keeps its checkpoint', async () => {
      const reader = unused('reader');
      const [given, kept] = bySlot(await leases.take(reader, 'ann', [0, 1], LONG));
      await leases.advance(given!, 5);
      await leases.release([given!]);
      await leases.release([]);
      expect(await leases.progress(reader)).toEqual([
        { slot: 0, position: 5, owner: undefined },
        { slot: 1, position: 0, owner: 'ann' },
      ]);
      expect(await leases.take(reader, 'ann', [0], LONG)).toMatchObject([{ slot: 0, position: 5 }]);
      await leases.advance(kept!, 1);
    });

    it('a removed slot is free and has no checkpoint', async () => {
      const reader = unused('reader');
      const taken = bySlot(await leases.take(reader, 'ann', [0, 1], LONG));
      await leases.advance(taken[0]!, 5);
      await leases.remove([taken[0]!]);
      await leases.remove([]);
      expect(await leases.progress(reader)).toEqual([{ slot: 1, position: 0, owner: 'ann' }]);
      expect(await leases.take(reader, 'bea', [0], LONG)).toEqual([
        { reader, slot: 0, owner: 'bea', epoch: 1, position: 0 },
      ]);
    });

    it('a reader is listed while it has a lease', async () => {
      const [reader, idle] = [unused('reader:a/b'), unused('reader')];
      const [first, second] = await leases.take(reader, 'ann', [0, 1], LONG);
      await leases.join(idle, 'ann', LONG);
      const known = await leases.readers();
      expect(known.filter((each) => each === reader)).toEqual([reader]);
      expect(known).not.toContain(idle);
      await leases.release([first!]);
      expect(await leases.readers()).toContain(reader);
      await leases.release([second!]);
      expect(await leases.readers()).not.toContain(reader);
    });

    it('a member that left may join again', async () => {
      const reader = unused('reader');
      await leases.leave(reader, 'ann');
      await leases.join(reader, 'ann', LONG);
      await leases.leave(reader, 'ann');
      expect(await leases.join(reader, 'ann', LONG)).toEqual(['ann']);
    });
  });
}

/** The part of the contract that needs several processes: two owners who want the same. */
export function describeSharedFeedLeases(name: string, open: () => Promise<FeedLeases>): void {
  describe(`${name} keeps the contract of feed leases between processes`, () => {
    let leases: FeedLeases;
    beforeAll(async () => {
      leases = await open();
    });
    const takeOne = async (reader: string, owner: string, milliseconds = LONG): Promise<Lease | undefined> =>
      (await leases.take(reader, owner, [0], milliseconds))[0];

    /** A lease that has ended at the store's clock. */
    async function ended(reader: string, owner: string): Promise<Lease> {
      const lease = await takeOne(reader, owner, 1);
      // It may have ended before it was answered.
      const known = lease ?? { reader, slot: 0, owner, epoch: 1, position: 0 };
      await expect.poll(async () => (await leases.progress(reader))[0]?.owner).toBeUndefined();
      return known;
    }

    it('members see each other until they leave or expire', async () => {
      const reader = unused('reader');
      await leases.join(reader, 'ann', LONG);
      await leases.join(reader, 'bea', LONG);
      expect((await leases.join(reader, 'cid', LONG)).toSorted()).toEqual(['ann', 'bea', 'cid']);
      await leases.leave(reader, 'cid');
      expect((await leases.join(reader, 'ann', LONG)).toSorted()).toEqual(['ann', 'bea']);
      await leases.join(reader, 'bea', 1);
      await expect.poll(() => leases.join(reader, 'ann', LONG)).toEqual(['ann']);
      expect(await leases.join(unused('reader'), 'ann', LONG)).toEqual(['ann']);
    });

    it('a held slot is not taken, free ones are', async () => {
      const reader = unused('reader');
      await leases.take(reader, 'ann', [0, 1], LONG);
      expect(await leases.take(reader, 'bea', [0, 1, 2], LONG)).toMatchObject([{ slot: 2, owner: 'bea' }]);
      expect((await leases.progress(reader)).map(({ owner }) => owner)).toEqual(['ann', 'ann', 'bea']);
    });

    it('if many members take all slots at once, each slot has one owner and all agree which', async () => {
      const reader = unused('reader');
      const slots = Array.from({ length: 16 }, (_, slot) => slot);
      const owners = Array.from({ length: 8 }, (_, index) => `owner-${index}`);
      const taken = (await Promise.all(owners.map((owner) => leases.take(reader, owner, slots, LONG)))).flat();
      expect(taken.map(({ slot }) => slot).toSorted((a, b) => a - b)).toEqual(slots);
      expect(taken.filter(({ epoch }) => epoch !== 1)).toEqual([]);
      expect(await leases.progress(reader)).toEqual(
        bySlot(taken).map(({ slot, owner }) => ({ slot, position: 0, owner })),
      );
    });

    it('an expired lease is taken over with a higher epoch, at its checkpoint', async () => {
      const reader = unused('reader');
      const old = await ended(reader, 'ann');
      await leases.advance(old, 4);
      expect(await takeOne(reader, 'bea')).toEqual({
        reader,
        slot: 0,
        owner: 'bea',
        epoch: old.epoch + 1,
        position: 4,
      });
      expect(await takeOne(reader, 'ann')).toBeUndefined();
    });

    it('the previous owner can neither move the checkpoint nor release or remove the slot', async () => {
      const reader = unused('reader');
      const old = await ended(reader, 'ann');
      const current = await takeOne(reader, 'bea');
      await leases.advance(current!, 7);
      await expect(leases.advance(old, 9)).rejects.toThrow(LeaseLost);
      await leases.release([old]);
      await leases.remove([old]);
      expect(await leases.progress(reader)).toEqual([{ slot: 0, position: 7, owner: 'bea' }]);
    });

    it('of concurrent checkpoints only those of lost slots are refused', async () => {
      const reader = unused('reader');
      const old = await ended(reader, 'ann');
      const current = await takeOne(reader, 'bea');
      const others = await leases.take(reader, 'ann', [1, 2], LONG);
      const results = await Promise.allSettled([
        leases.advance(old, 9),
        leases.advance(current!, 3),
        ...others.map((lease) => leases.advance(lease, 5)),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
      expect((await leases.progress(reader)).map(({ position }) => position)).toEqual([3, 5, 5]);
    });

    it('a reader whose leases have all expired is not listed', async () => {
      const reader = unused('reader');
      await ended(reader, 'ann');
      expect(await leases.readers()).not.toContain(reader);
    });

    it('an expired lease that no other member took is renewed unchanged', async () => {
      const reader = unused('reader');
      const old = await ended(reader, 'ann');
      expect((await takeOne(reader, 'ann'))?.epoch).toBe(old.epoch);
      await leases.advance(old, 4);
    });

    it('a released slot is free at once, with a higher epoch for its next owner', async () => {
      const reader = unused('reader');
      const first = await takeOne(reader, 'ann');
      await leases.release([first!]);
      await expect(leases.advance(first!, 1)).rejects.toThrow(LeaseLost);
      const second = await takeOne(reader, 'bea');
      expect(second?.epoch).toBe(first!.epoch + 1);
      await leases.release([second!]);
      expect((await takeOne(reader, 'ann'))?.epoch).toBe(first!.epoch + 2);
      await expect(leases.advance(first!, 1)).rejects.toThrow(LeaseLost);
    });

    it('names are taken literally', async () => {
      const [reader, owner] = [unused('$reader/a.b'), '$owner'];
      expect(await leases.join(reader, owner, LONG)).toEqual([owner]);
      const lease = await takeOne(reader, owner);
      expect(lease).toEqual({ reader, slot: 0, owner, epoch: 1, position: 0 });
      await leases.advance(lease!, 1);
      expect(await leases.progress(reader)).toEqual([{ slot: 0, position: 1, owner }]);
    });
  });
}

const bySlot = (leases: readonly Lease[]) => leases.toSorted((left, right) => left.slot - right.slot);
