import { expect, vi } from 'vitest';
import type { Commit } from '../../src/commit.js';
import type { CommitFeed } from '../../src/feed/commit-feed.js';
import { newCommit, unused } from '../new-commit.js';
import { appendEach, readFeeds } from '../outcome.js';
import type { ContractCase } from './contract-case.js';

/** Cases of the operations that let a reader follow the feeds without polling each of them. */
export const followingCases: readonly ContractCase[] = [
  {
    title: 'exactly the slots with commits after the given positions have news',
    async run(open) {
      const { store } = open;
      const before = headsOf(store, await readFeeds(open, []));
      expect(await store.slotsWithNews(before)).toEqual([]);
      const commits = Array.from({ length: 5 }, () => newCommit(unused('account'), 1));
      const appended = await appendEach(store, commits);
      const heads = headsOf(store, await readFeeds(open, appended));
      const behind = [...heads].filter(([slot, position]) => position > before.get(slot)!).map(([slot]) => slot);
      expect(behind.length).toBeGreaterThan(0);
      expect(new Set(await store.slotsWithNews(before))).toEqual(new Set(behind));
      expect(await store.slotsWithNews(heads)).toEqual([]);
      const [slot, ...others] = behind;
      expect(await store.slotsWithNews(new Map([[slot!, heads.get(slot!)! - 1]]))).toEqual([slot]);
      const asked = new Map(others.map((each) => [each, before.get(each)!]));
      expect(new Set(await store.slotsWithNews(asked))).toEqual(new Set(others));
      expect(await store.slotsWithNews(new Map())).toEqual([]);
    },
  },
  {
    title: 'the heads are the last positions of all slots, and a commit is in the slot of its partition',
    async run(open) {
      const { store } = open;
      const commits = Array.from({ length: 5 }, () => newCommit(unused('account'), 1));
      const appended = await appendEach(store, commits);
      const feeds = await readFeeds(open, appended);
      expect(await store.readHeads()).toEqual(headsOf(store, feeds));
      for (const commit of appended) {
        expect(feeds[store.slotOf(commit.partition)]).toContainEqual(commit);
      }
    },
  },
  {
    title: 'closing holes in a feed without holes changes nothing',
    async run(open) {
      const commits = Array.from({ length: 5 }, () => newCommit(unused('account'), 1));
      const appended = await appendEach(open.store, commits);
      const before = await readFeeds(open, appended);
      for (const [slot, feed] of before.entries()) {
        expect(await open.store.closeHoles(slot, 0)).toBe(0);
        expect(await open.store.closeHoles(slot, feed.length)).toBe(0);
      }
      expect(await readFeeds(open, appended)).toEqual(before);
    },
  },
  {
    title: 'a listener is called after appends of this and another process, until it unsubscribes',
    async run({ store, elsewhere = store, signalDelay = 100 }) {
      // Signals may be lost, so the append is repeated.
      const waiting = { timeout: signalDelay, interval: Math.min(signalDelay / 2, 200) };
      const [ended, heard] = [vi.fn<() => void>(), vi.fn<() => void>()];
      const end = store.onAppended(ended);
      const endHeard = store.onAppended(heard);
      for (const writer of [store, elsewhere]) {
        ended.mockClear();
        await vi.waitFor(async () => {
          await writer.append(newCommit(unused('account'), 1));
          expect(ended).toHaveBeenCalled();
        }, waiting);
      }
      end();
      ended.mockClear();
      heard.mockClear();
      await vi.waitFor(async () => {
        await store.append(newCommit(unused('account'), 1));
        expect(heard).toHaveBeenCalled();
      }, waiting);
      expect(ended).not.toHaveBeenCalled();
      endHeard();
    },
  },
];

/** The last positions of all slots, each of a feed that has been read whole. */
const headsOf = ({ slots }: CommitFeed, feeds: readonly Commit[][]) =>
  new Map(Array.from({ length: slots }, (_, slot) => [slot, feeds[slot]?.length ?? 0]));
