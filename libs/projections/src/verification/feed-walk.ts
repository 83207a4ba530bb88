import type { Commit, CommitFeed } from '@keyfold/event-store';
import { setImmediate as otherWork, setTimeout as sleep } from 'node:timers/promises';

const PAGE = 200;

/** How long an append that is under way may leave its position empty, and how often to look, in milliseconds. */
const HOLE_PATIENCE = 5_000;
const LOOK_INTERVAL = 100;

/** How many empty positions in a row are looked behind; more of them end the walk. */
const WIDEST_HOLE = 1_000;

/**
 * The commits of a slot up to the position `head`, page by page. A position that stays empty is told to `report`, and the walk goes
 * on behind it. `isSettled`: nobody appends, so that an empty position stays empty.
 */
export async function* walkFeed(
  feed: CommitFeed,
  slot: number,
  head: number,
  isSettled: boolean,
  report: (problem: string) => Promise<void>,
): AsyncGenerator<Commit[]> {
  let position = 0;
  while (position < head) {
    let page = await feed.readFeed(slot, position, Math.min(PAGE, head - position));
    if (page.length === 0 && !isSettled) page = await waitForCommit(feed, slot, position);
    if (page.length === 0) {
      const behind = await positionBehindHole(feed, slot, position, head);
      await report(`slot ${slot} has no commit at ${positions(position + 1, (behind ?? head + 1) - 1)} of its feed`);
      if (behind === undefined) return;
      position = behind - 1;
      continue;
    }
    for (const commit of page) {
      if (commit.position > position + 1) {
        await report(`slot ${slot} has no commit at ${positions(position + 1, commit.position - 1)} of its feed`);
      }
      position = commit.position;
    }
    yield page;
    // The embedded store answers at once, and the process that asks it may serve others.
    await otherWork();
  }
}

async function waitForCommit(feed: CommitFeed, slot: number, after: number): Promise<Commit[]> {
  const deadline = performance.now() + HOLE_PATIENCE;
  for (;;) {
    const page = await feed.readFeed(slot, after, PAGE);
    if (page.length > 0 || performance.now() > deadline) return page;
    await sleep(LOOK_INTERVAL);
  }
}

async function positionBehindHole(feed: CommitFeed, slot: number, after: number, head: number) {
  for (let empty = after + 1; empty < Math.min(head, after + WIDEST_HOLE); empty++) {
    const [next] = await feed.readFeed(slot, empty, 1);
    if (next) return next.position;
  }
  return undefined;
}

const positions = (first: number, last: number) =>
  first === last ? `position ${first}` : `positions ${first} to ${last}`;
