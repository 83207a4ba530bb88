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
import { setTimeout as pause } from 'node:timers/promises';
import { newCommit } from '../../libs/event-store/src/contract/new-commit.contract.js';
import { partitionOf, type WriterPlan } from './append-schedule.js';

/** Loads, decides and appends as a command does; answers what was acknowledged. A commit says on which one it was decided. */
export async function write(
  store: EventStore,
  { stream, appends, hold }: WriterPlan,
  onAcknowledged: (commit: Commit) => void,
): Promise<void> {
  const name = `account-${stream}`;
  let wanted = hold;
  for (let left = appends; left > 0;) {
    const commits = await untilThere(() => store.readStreams([{ stream: name, version: 0 }]));
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

/** The acknowledged commit, or the refusal. A caller that heard of an outage tries again with the same commit. */
async function answerOf(store: EventStore, commit: NewCommit): Promise<Commit | HoldTaken | WrongExpectedVersion> {
  try {
    return (await untilThere(() => store.append(commit))).commit;
  } catch (error) {
    if (error instanceof HoldTaken || error instanceof WrongExpectedVersion) return error;
    throw error;
  }
}

/** Follows the feeds from its own positions; what it was shown is kept, and how many holes it had to close. */
export class FeedFollower {
  readonly seen = new Map<number, Commit[]>();
  holes = 0;

  constructor(
    private readonly feed: CommitFeed,
    private readonly slots: readonly number[],
  ) {
    for (const slot of slots) this.seen.set(slot, []);
  }

  /** Goes on until `isOver` and nothing is left. */
  async follow(isOver: () => boolean): Promise<void> {
    for (let over = false, news = true; news || !over;) {
      over = isOver();
      news = await untilThere(() => this.#readOn());
      if (!news) await pause(5);
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

/** Tries again while the store is not available. */
export async function untilThere<Result>(operation: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await operation();
    } catch (error) {
      if (!isRetryable(error)) throw error;
      await pause(10);
    }
  }
}
