import {
  HoldTaken,
  isRetryable,
  WrongExpectedVersion,
  type Commit,
  type CommitFeed,
  type EventStore,
  type NewCommit,
} from '@keyfold/event-store';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { newCommit } from '../../libs/event-store/testing/new-commit.js';
import { partitionOf, type WriterPlan } from './append-schedule.js';

/**
 * Loads, decides and appends like a command, and returns the acknowledged commits. Each commit names the one it was
 * decided on.
 */
export async function write(
  store: EventStore,
  { stream, appends, hold }: WriterPlan,
  onAcknowledged: (commit: NewCommit) => void,
): Promise<void> {
  const name = `account-${stream}`;
  let wanted = hold;
  for (let left = appends; left > 0;) {
    const commits = await untilAvailable(() => store.readStreams([{ stream: name, version: 0 }]));
    const next = newCommit(name, commits.length + 1, {
      partition: partitionOf(stream),
      correlation: randomUUID(),
      causation: commits.at(-1)?.command.id ?? 'nothing',
      ...(wanted !== undefined && { holds: [`name:${wanted}`] }),
    });
    const outcome = await answerOf(store, next);
    if (outcome instanceof HoldTaken) wanted = undefined;
    if (outcome instanceof Error) continue;
    onAcknowledged(outcome);
    wanted = undefined;
    left -= 1;
  }
}

/** Returns the acknowledged commit or the refusal. Retries the same commit after an outage. */
async function answerOf(store: EventStore, commit: NewCommit): Promise<NewCommit | HoldTaken | WrongExpectedVersion> {
  try {
    return (await untilAvailable(() => store.append(commit))).commit;
  } catch (error) {
    if (error instanceof HoldTaken || error instanceof WrongExpectedVersion) return error;
    throw error;
  }
}

/** Follows the feeds with its own positions. Keeps the commits it saw and counts the holes that it closed. */
export class FeedFollower {
  readonly seen = new Map<number, Commit[]>();
  holes = 0;

  constructor(
    private readonly feed: CommitFeed,
    private readonly slots: readonly number[],
  ) {
    for (const slot of slots) this.seen.set(slot, []);
  }

  /** Follows until `isOver` and nothing is left to read. */
  async follow(isOver: () => boolean): Promise<void> {
    for (let over = false, news = true; news || !over;) {
      over = isOver();
      news = await untilAvailable(() => this.#readOn());
      if (!news) await sleep(5);
    }
  }

  async #readOn(): Promise<boolean> {
    const positions = new Map([...this.seen].map(([slot, commits]) => [slot, commits.length]));
    const slots = await this.feed.slotsWithNews(positions);
    for (const slot of slots) {
      const seen = this.seen.get(slot) ?? [];
      const page = await this.feed.readFeed(slot, seen.length, 20);
      if (page.length === 0) this.holes += await this.feed.closeHoles(slot, seen.length);
      seen.push(...page);
    }
    return slots.length > 0;
  }
}

/** Retries an operation while the store is unavailable. */
export async function untilAvailable<Result>(operation: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await operation();
    } catch (error) {
      if (!isRetryable(error)) throw error;
      await sleep(10);
    }
  }
}
