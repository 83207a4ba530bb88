import { expect } from 'vitest';
import { CommandIdReused, HoldTaken, WrongExpectedVersion } from '../../src/event-store.errors.js';
import type { ContractCase } from '../contract-case.js';
import { newCommand, newCommit, unused } from '../new-commit.js';
import { outcomeOf, readStream, refusal, tally } from '../outcome.js';

/** Holds: keys that one commit has for ever; and the order in which an append is judged. */
export const holdCases: readonly ContractCase[] = [
  {
    title: 'a hold of another commit is refused with its key, and nothing of the refused commit is stored',
    async run({ store }) {
      const [loser, taken, free] = [unused('account'), unused('name'), unused('name')];
      await store.append(newCommit(unused('account'), 1, { holds: [unused('name'), taken] }));
      const commit = newCommit(loser, 1, { holds: [free, taken] });
      expect((await refusal(store.append(commit), HoldTaken)).key).toBe(taken);

      expect(await readStream(store, loser)).toEqual([]);
      expect(await store.findCommand(commit.command.id)).toBeUndefined();
      expect(await store.findLastHold(free)).toBeUndefined();
      expect((await store.append(newCommit(loser, 1, { holds: [free] }))).outcome).toBe('appended');
    },
  },
  {
    title: 'a hold is given only once, even to the same stream',
    async run({ store }) {
      const [stream, key] = [unused('account'), unused('name')];
      await store.append(newCommit(stream, 1, { holds: [key] }));
      expect((await refusal(store.append(newCommit(stream, 2, { holds: [key] })), HoldTaken)).key).toBe(key);
      expect((await store.append(newCommit(stream, 2))).outcome).toBe('appended');
    },
  },
  {
    title: 'of 50 concurrent appends with one hold in 50 streams exactly one succeeds and has the hold',
    async run({ store }) {
      const key = unused('name');
      const commits = Array.from({ length: 50 }, () => newCommit(unused('account'), 1, { holds: [key] }));
      const outcomes = await Promise.all(commits.map((commit) => outcomeOf(store.append(commit))));
      expect(tally(outcomes)).toEqual({ appended: 1, HoldTaken: 49 });
      const winner = commits[outcomes.indexOf('appended')]!;
      expect(await store.findLastHold(key)).toMatchObject({ key, stream: winner.stream });
      const stored = await store.readStreams(commits.map(({ stream }) => ({ stream, version: 0 })));
      expect(stored.map(({ command }) => command.id)).toEqual([winner.command.id]);
    },
  },
  {
    title: 'of concurrent commits with the same two holds in either order exactly one succeeds and has both',
    async run({ store }) {
      const [one, two] = [unused('name'), unused('name')];
      const commits = Array.from({ length: 20 }, (_, index) =>
        newCommit(unused('account'), 1, { holds: index % 2 ? [one, two] : [two, one] }),
      );
      const outcomes = await Promise.all(commits.map((commit) => outcomeOf(store.append(commit))));
      expect(tally(outcomes)).toEqual({ appended: 1, HoldTaken: 19 });
      const { stream } = commits[outcomes.indexOf('appended')]!;
      expect(await store.findLastHold(one)).toMatchObject({ key: one, stream });
      expect(await store.findLastHold(two)).toMatchObject({ key: two, stream });
    },
  },
  {
    title: 'a repeated command is a replay even if its version is stale and its hold is taken',
    async run({ store }) {
      const [stream, key] = [unused('account'), unused('name')];
      const first = await store.append(newCommit(stream, 1));
      await store.append(newCommit(stream, 2, { holds: [key] }));
      const repeated = newCommit(stream, 1, { command: first.commit.command, holds: [key] });
      expect(await store.append(repeated)).toStrictEqual({ outcome: 'replayed', commit: first.commit });
    },
  },
  {
    title: 'a reused command id is judged before a wrong version and a taken hold',
    async run({ store }) {
      const [stream, key] = [unused('account'), unused('name')];
      const first = await store.append(newCommit(stream, 1, { holds: [key] }));
      const command = newCommand(first.commit.command.id, 'hash-2');
      for (const [version, holds] of [
        [1, []],
        [9, []],
        [2, [key]],
        [1, [key]],
      ] as const) {
        await refusal(store.append(newCommit(stream, version, { command, holds })), CommandIdReused);
      }
    },
  },
  {
    title: 'a wrong version is judged before a taken hold',
    async run({ store }) {
      const [stream, key] = [unused('account'), unused('name')];
      await store.append(newCommit(stream, 1, { holds: [key] }));
      for (const version of [1, 3]) {
        await refusal(store.append(newCommit(stream, version, { holds: [key] })), WrongExpectedVersion);
      }
    },
  },
];
