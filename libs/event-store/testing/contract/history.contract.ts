import { randomInt } from 'node:crypto';
import { expect } from 'vitest';
import type { NewCommit } from '../../src/commit.js';
import {
  cursorAt,
  type CommitHistory,
  type HistoryRange,
  type HistoryEntry,
  type EventStore,
} from '../../src/event-store.js';
import { newCommit, unused } from '../new-commit.js';
import { appendEach, asStored } from '../outcome.js';
import type { ContractCase } from './contract-case.js';

/** Histories: pages of commits backwards in time. */
export const historyCases: readonly ContractCase[] = [
  {
    title: 'a history lists the commits of a partition as returned, the latest time first',
    async run({ store }) {
      const partition = unused('partition');
      const appended = await append(store, [3, 1, 2, 5, 4], (at) => ({ partition, at, session: `session-${at}` }));
      await append(store, [1, 6], (at) => ({ partition: unused('partition'), at }));
      const commits = [5, 4, 3, 2, 1].map((time) => appended.find(({ at }) => at === time));
      for (const limit of [1, 2, 5, 9])
        expect((await walk(store, { partition }, limit)).map(({ commit }) => commit)).toEqual(commits);
      expect(await store.readHistory({ partition: unused('partition') }, 9)).toEqual([]);
    },
  },
  {
    title: 'a range of a history contains its start and not its end',
    async run({ store }) {
      const partition = unused('partition');
      await append(store, [1, 2, 3, 4, 5], (at) => ({ partition, at }));
      const timesOf = async (range: HistoryRange) => times(await store.readHistory({ partition, ...range }, 9));
      expect(await timesOf({ from: 2 })).toEqual([5, 4, 3, 2]);
      expect(await timesOf({ before: cursorAt(4) })).toEqual([3, 2, 1]);
      expect(await timesOf({ from: 2, before: cursorAt(4) })).toEqual([3, 2]);
      expect(await timesOf({ from: 4, before: cursorAt(2) })).toEqual([]);
    },
  },
  {
    title: 'a history of all partitions is in the order of time, and commits of one millisecond keep an order',
    async run({ store }) {
      const start = unusedTime();
      const offsets = [3, 0, 1, 1, 1, 2, 1, 0];
      await append(store, offsets, (offset) => ({ partition: unused('partition'), at: start + offset }));
      const range = { from: start, before: cursorAt(start + 1_000) };
      const all = await store.readHistory(range, 99);
      const latestFirst = offsets.toSorted((left, right) => right - left);
      expect(times(all)).toEqual(latestFirst.map((offset) => start + offset));
      for (const limit of [1, 2, 3]) expect(await walk(store, range, limit)).toEqual(all);
    },
  },
  {
    title: 'a reader that continues after its last cursor neither skips nor repeats a commit during appends',
    async run({ store }) {
      const start = unusedTime();
      const offsets = Array.from({ length: 30 }, () => randomInt(10));
      const before = await append(store, offsets, (offset) => ({ partition: unused('account'), at: start + offset }));
      const range = { from: start, before: cursorAt(start + 100) };
      const seen: HistoryEntry[] = [];
      for (let page = await store.readHistory(range, 4); page.length > 0;) {
        seen.push(...page);
        await append(store, [randomInt(10), 20], (offset) => ({ partition: unused('account'), at: start + offset }));
        page = await store.readHistory({ ...range, before: page.at(-1)!.cursor }, 4);
      }
      const ids = seen.map(({ commit }) => commit.command.id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toEqual(expect.arrayContaining(before.map(({ command }) => command.id)));
    },
  },
  {
    title: 'a history contains what another process has just acknowledged',
    async run({ store, elsewhere = store }) {
      const partition = unused('partition');
      for (let at = 1; at <= 20; at++) {
        const [writer, reader] = at % 2 === 0 ? [store, elsewhere] : [elsewhere, store];
        const { commit } = await writer.append(newCommit(unused('session'), 1, { partition, at }));
        const [newest] = await reader.readHistory({ partition }, 1);
        expect(newest?.commit).toStrictEqual(asStored(commit));
      }
    },
  },
  {
    title: 'a compacted stream is in no history',
    async run({ store }) {
      const [partition, start] = [unused('partition'), unusedTime()];
      const [kept, gone] = await append(store, [1, 2], (offset) => ({ partition, at: start + offset }));
      await store.compact([gone!.stream]);
      const range = { from: start, before: cursorAt(start + 10) };
      for (const each of [{ partition }, range])
        expect((await store.readHistory(each, 9)).map(({ commit }) => commit)).toEqual([kept]);
    },
  },
];

/** Returns the start of a second that no other case uses. */
const unusedTime = () => Date.UTC(2100, 0, 1) + randomInt(2 ** 40) * 1_000;

/** Appends a commit of a new stream for each number, one after the other. */
const append = (store: EventStore, numbers: readonly number[], detailsOf: (number: number) => Partial<NewCommit>) =>
  appendEach(
    store,
    numbers.map((number) => newCommit(unused('session'), 1, detailsOf(number))),
  );

/** Reads a range to its end in pages of this size. */
async function walk(store: CommitHistory, range: HistoryRange, limit: number): Promise<HistoryEntry[]> {
  const seen: HistoryEntry[] = [];
  for (let page = await store.readHistory(range, limit); page.length > 0;) {
    expect(page.length).toBeLessThanOrEqual(limit);
    seen.push(...page);
    page = await store.readHistory({ ...range, before: page.at(-1)!.cursor }, limit);
  }
  return seen;
}

const times = (commits: readonly HistoryEntry[]) => commits.map(({ cursor }) => cursor.at);
