import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Commit, NewCommit } from '../src/commit.js';
import { WrongExpectedVersion } from '../src/event-store.errors.js';
import type { Appended, EventStore } from '../src/event-store.js';
import type { CommitFeed } from '../src/feed/commit-feed.js';
import type { OpenStore } from './contract/contract-case.js';
import { newCommit, unused } from './new-commit.js';

/** Returns the outcome of an append, or the name of its error. */
export const outcomeOf = (append: Promise<Appended>): Promise<string> =>
  append.then(
    ({ outcome }) => outcome,
    (error: unknown) => (error instanceof Error ? error.name : String(error)),
  );

/** Appends a commit, and returns it as stored. */
export async function appendOne(store: EventStore, commit: NewCommit): Promise<Commit> {
  await store.append(commit);
  const found = await store.findCommand(commit.command.id);
  if (!found) throw new Error(`no commit has the command id ${commit.command.id}`);
  return found;
}

/** Appends commits one after the other, and returns them as stored. Reads nothing before the last one is acknowledged. */
export async function appendEach(store: EventStore, commits: readonly NewCommit[]): Promise<Commit[]> {
  for (const commit of commits) await store.append(commit);
  const found = await store.findCommands(commits.map(({ command }) => command.id));
  const byCommand = new Map(found.map((commit) => [commit.command.id, commit]));
  return commits.map(({ command: { id } }) => {
    const commit = byCommand.get(id);
    if (!commit) throw new Error(`no commit has the command id ${id}`);
    return commit;
  });
}

/** Equals a commit as stored, at any position. */
export const asStored = (commit: NewCommit): Commit => ({ ...commit, position: expect.any(Number) });

/** Counts the outcomes of each kind. */
export function tally(outcomes: readonly string[]): Record<string, number> {
  const kinds = Map.groupBy(outcomes, (outcome) => outcome);
  return Object.fromEntries([...kinds].map(([kind, same]) => [kind, same.length]));
}

/** Returns the error of an append; fails unless it is of the given kind. */
export async function refusal<T extends Error>(
  append: Promise<Appended>,
  // The parameters of the constructor do not matter.
  kind: abstract new (...parameters: never[]) => T,
): Promise<T> {
  const result: unknown = await append.catch((error: unknown) => error);
  expect(result).toBeInstanceOf(kind);
  return result as T;
}

/** Reads a whole stream. */
export const readStream = (store: EventStore, stream: string): Promise<Commit[]> =>
  store.readStreams([{ stream, version: 0 }]);

/** Expects that a commit is refused for its version, and that neither its command id nor its hold is taken. */
export async function expectRefusedWhole(store: EventStore, stream: string, version: number): Promise<void> {
  const key = unused('name');
  const commit = newCommit(stream, version, { holds: [key] });
  await refusal(store.append(commit), WrongExpectedVersion);
  expect(await store.findCommand(commit.command.id)).toBeUndefined();
  expect(await store.findLastHold(key)).toBeUndefined();
}

const PAGE = 50;
const POLL_MS = 50;

/** Reads the feeds of all slots once they contain the given commits; fails after the store's `feedDelay`. */
export async function readFeeds({ store, feedDelay = 0 }: OpenStore, until: readonly NewCommit[]): Promise<Commit[][]> {
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

/** Reads the whole feed of a slot. */
export async function readSlot(store: CommitFeed, slot: number): Promise<Commit[]> {
  const feed: Commit[] = [];
  for (let page; page === undefined || page.length === PAGE; feed.push(...page)) {
    page = await store.readFeed(slot, feed.length, PAGE);
    expectContiguous(page, feed.length);
    expect(page.length).toBeLessThanOrEqual(PAGE);
  }
  return feed;
}

/** Expects contiguous positions from `after + 1`. */
export function expectContiguous(page: readonly Commit[], after: number): void {
  expect(page.map(({ position }) => position)).toEqual(page.map((_, index) => after + 1 + index));
}
