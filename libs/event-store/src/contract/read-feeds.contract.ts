import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Commit } from '../commit.js';
import type { CommitFeed } from '../commit-feed.js';
import type { OpenStore } from './contract-case.contract.js';

const PAGE = 50;
const POLL_MS = 50;

/** The feeds of all slots, read from the beginning, as soon as they have the given commits; fails after the store's `feedDelay`. */
export async function readFeeds({ store, feedDelay = 0 }: OpenStore, until: readonly Commit[]): Promise<Commit[][]> {
  const deadline = Date.now() + feedDelay;
  for (;;) {
    const feeds: Commit[][] = [];
    for (let slot = 0; slot < store.slots; slot++) feeds.push(await readSlot(store, slot));
    const found = new Set(feeds.flat().map(({ command }) => command.id));
    const missing = until.filter(({ command }) => !found.has(command.id));
    if (missing.length === 0 || Date.now() >= deadline) {
      expect(missing, 'acknowledged commits that are not in the feed').toEqual([]);
      return feeds;
    }
    await setTimeout(POLL_MS);
  }
}

/** Everything that is visible in one slot. */
export async function readSlot(store: CommitFeed, slot: number): Promise<Commit[]> {
  const feed: Commit[] = [];
  for (let page; page === undefined || page.length === PAGE; feed.push(...page)) {
    page = await store.readFeed(slot, feed.length, PAGE);
    expectContiguous(page, feed.length);
    expect(page.length).toBeLessThanOrEqual(PAGE);
  }
  return feed;
}

/** Fails unless the positions go up one by one from `after + 1`. */
export function expectContiguous(page: readonly Commit[], after: number): void {
  expect(page.map(({ position }) => position)).toEqual(page.map((_, index) => after + 1 + index));
}
