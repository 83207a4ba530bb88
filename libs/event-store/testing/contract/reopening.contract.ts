import { expect } from 'vitest';
import { CommandIdReused, HoldTaken, WrongExpectedVersion } from '../../src/event-store.errors.js';
import { replayed } from '../../src/event-store.js';
import { newCommand, newCommit, unused } from '../new-commit.js';
import { appendOne, outcomeOf, readStream, refusal, readFeeds } from '../outcome.js';
import type { ContractCase } from './contract-case.js';

/** Closing and opening: nothing that was acknowledged or accepted is lost. */
export const reopeningCases: readonly ContractCase[] = [
  {
    title: 'everything is there after reopening, and appends continue from it',
    async run(open) {
      const [stream, key] = [unused('account'), unused('name')];
      const first = await appendOne(open.store, newCommit(stream, 1, { holds: [key] }));
      const second = await appendOne(open.store, newCommit(stream, 2));

      const again = await open.reopen();
      expect(await readStream(again.store, stream)).toStrictEqual([first, second]);
      expect(await again.store.findLastHold(key)).toMatchObject({ key, stream });
      expect(await again.store.append(first)).toStrictEqual(replayed(first));
      await refusal(again.store.append(newCommit(stream, 2)), WrongExpectedVersion);
      await refusal(again.store.append(newCommit(stream, 3, { holds: [key] })), HoldTaken);
      const reused = newCommand(first.command.id, 'hash-2');
      await refusal(again.store.append(newCommit(stream, 3, { command: reused })), CommandIdReused);
      const third = await appendOne(again.store, newCommit(stream, 3));

      const feeds = await readFeeds(again, [first, second, third]);
      expect(feeds.flat().filter((commit) => commit.stream === stream)).toEqual([first, second, third]);
    },
  },
  {
    title: 'appends that were accepted before closing are finished',
    async run(open) {
      const commits = Array.from({ length: 30 }, () => newCommit(unused('account'), 1));
      const appends = Promise.all(commits.map((commit) => outcomeOf(open.store.append(commit))));
      const again = await open.reopen();
      expect(new Set(await appends)).toEqual(new Set(['appended']));
      const stored = await again.store.readStreams(commits.map(({ stream }) => ({ stream, version: 0 })));
      expect(stored).toHaveLength(30);
    },
  },
  {
    title: 'numbers continue after those taken before closing',
    async run(open) {
      const name = unused('counter');
      const first = await open.counter.take(name, 10, 5);
      const again = await open.reopen();
      expect(first).toBe(5);
      expect(await again.counter.take(name, 1, 5)).toBeGreaterThanOrEqual(15);
    },
  },
];
