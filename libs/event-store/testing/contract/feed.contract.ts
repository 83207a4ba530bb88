import { setImmediate } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Commit } from '../../src/commit.js';
import type { EventStore } from '../../src/event-store.js';
import type { CommitFeed } from '../../src/feed/commit-feed.js';
import { newCommand, newCommit, unused } from '../new-commit.js';
import { appendOne, appendEach, expectContiguous, outcomeOf, readFeeds } from '../outcome.js';
import type { ContractCase } from './contract-case.js';

/** Feeds: the order that projections and relays rely on. `readFeeds` itself checks that positions are contiguous from 1. */
export const feedCases: readonly ContractCase[] = [
  {
    title: 'every commit is in the feeds once, as returned, and those of a partition in one feed, in append order',
    async run(open) {
      const partitions = Array.from({ length: 12 }, () => unused('partition'));
      const appended: Commit[] = [];
      for (let version = 1; version <= 4; version++) {
        for (const partition of partitions) {
          for (const kind of ['account', 'session']) {
            const details = { partition, holds: [unused('name')], causation: 'message-7' };
            const commit = newCommit(`${kind}-${partition}`, version, details);
            appended.push(await appendOne(open.store, commit));
          }
        }
      }
      const feeds = only(await readFeeds(open, appended), appended);
      for (const partition of partitions) {
        const slots = feeds.filter((feed) => feed.some((commit) => commit.partition === partition));
        expect(slots).toHaveLength(1);
        const inPartition = (commit: Commit) => commit.partition === partition;
        expect(slots[0]?.filter(inPartition)).toEqual(appended.filter(inPartition));
      }
    },
  },
  {
    title: 'a page starts right after its position, ascends and respects its limit',
    async run(open) {
      const partition = unused('partition');
      const commits = Array.from({ length: 10 }, () => newCommit(unused('session'), 1, { partition }));
      const appended = await appendEach(open.store, commits);
      const feeds = await readFeeds(open, appended);
      const slot = feeds.findIndex((feed) => only([feed], appended).flat().length > 0);
      const feed = feeds[slot]!;
      for (const limit of [1, 3, feed.length, feed.length + 5]) {
        for (const after of [0, 1, feed.length - 2, feed.length - 1]) {
          const page = await open.store.readFeed(slot, after, limit);
          // Others may have appended since.
          const known = page.slice(0, Math.max(0, feed.length - after));
          expect(known).toEqual(feed.slice(after, after + limit));
          expect(page.length).toBeLessThanOrEqual(limit);
          expectContiguous(page, after);
        }
      }
      expect(feed.length).toBeGreaterThanOrEqual(10);
    },
  },
  {
    title: 'refused and repeated appends leave no gaps or duplicates',
    async run(open) {
      const { store } = open;
      const [partition, stream, key] = [unused('partition'), unused('account'), unused('name')];
      const first = await appendOne(store, newCommit(stream, 1, { partition, holds: [key] }));
      const outcomes = await Promise.all(
        Array.from({ length: 5 }, () => [
          store.append(first),
          store.append(newCommit(stream, 7, { partition })),
          store.append(newCommit(stream, 2, { partition, holds: [key] })),
          store.append(newCommit(stream, 2, { partition, command: newCommand(first.command.id, 'hash-2') })),
        ])
          .flat()
          .map(outcomeOf),
      );
      expect(outcomes).not.toContain('appended');
      const second = await appendOne(store, newCommit(stream, 2, { partition }));
      const feeds = await readFeeds(open, [first, second]);
      expect(feeds.flat().filter((commit) => commit.partition === partition)).toEqual([first, second]);
    },
  },
  {
    title: 'a reader that follows the feeds during many writes misses nothing and sees every stream in order',
    async run(open) {
      const partitions = Array.from({ length: 4 }, () => unused('partition'));
      const writers = Array.from({ length: 16 }, (_, index) => ({
        stream: unused('account'),
        partition: partitions[index % 4]!,
      }));
      let writing = true;
      const written = Promise.all(writers.map((writer) => write(open.store, writer, 10))).finally(
        () => (writing = false),
      );
      const followed: Commit[][] = Array.from({ length: open.store.slots }, () => []);
      while (writing) {
        for (const [slot, feed] of followed.entries()) await follow(open.store, slot, feed);
        await setImmediate();
      }
      const appended = (await written).flat();

      const feeds = await readFeeds(open, appended);
      for (const [slot, feed] of followed.entries()) expect(feeds[slot]!.slice(0, feed.length)).toEqual(feed);
      const found = only(feeds, appended).flat();
      expect(found).toHaveLength(160);
      for (const { stream } of writers) {
        const versions = found.filter((commit) => commit.stream === stream).map(({ version }) => version);
        expect(versions).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      }
    },
  },
  {
    title: 'concurrent appends to one partition leave no gaps',
    async run(open) {
      const partition = unused('partition');
      const commits = Array.from({ length: 80 }, () => newCommit(unused('session'), 1, { partition }));
      const appended = await Promise.all(commits.map((commit) => appendOne(open.store, commit)));
      const feeds = only(await readFeeds(open, appended), appended).filter((feed) => feed.length > 0);
      expect(feeds).toHaveLength(1);
      expect(feeds[0]).toEqual(appended.toSorted((left, right) => left.position - right.position));
      // Commits that were acknowledged before another append began precede it in the feed.
      const next = await appendOne(open.store, newCommit(unused('session'), 1, { partition }));
      expect(next.position).toBeGreaterThan(Math.max(...appended.map(({ position }) => position)));
    },
  },
];

/** Returns the feeds with only the given commits. */
function only(feeds: readonly Commit[][], commits: readonly Commit[]): Commit[][] {
  const ids = new Set(commits.map(({ command }) => command.id));
  return feeds.map((feed) => feed.filter(({ command }) => ids.has(command.id)));
}

async function write(
  store: EventStore,
  { stream, partition }: Pick<Commit, 'stream' | 'partition'>,
  versions: number,
): Promise<Commit[]> {
  const commits = Array.from({ length: versions }, (_, index) => newCommit(stream, index + 1, { partition }));
  return appendEach(store, commits);
}

/** Takes the next page of a slot behind what is known of it. */
async function follow(feed: CommitFeed, slot: number, seen: Commit[]): Promise<void> {
  const page = await feed.readFeed(slot, seen.length, 7);
  expectContiguous(page, seen.length);
  seen.push(...page);
}
