import { expect } from 'vitest';
import type { AppendCounts } from '../../src/append-counts.js';
import { HoldTaken, WrongExpectedVersion } from '../../src/event-store.errors.js';
import { newCommand, newCommit, unused } from '../new-commit.js';
import { outcomeOf, refusal } from '../outcome.js';
import type { ContractCase } from './contract-case.js';

/** The statistics on appends. */
export const appendCountCases: readonly ContractCase[] = [
  {
    title: 'the events of a commit are counted by type, and only once if it is resent',
    async run({ store }) {
      const [once, twice] = [unused('Type'), unused('Type')];
      const events = [once, twice, twice].map((type) => ({ type, v: 1, data: {} }));
      const commit = newCommit(unused('account'), 1, { events });
      for (const outcome of ['appended', 'replayed']) expect((await store.append(commit)).outcome).toBe(outcome);
      expect([once, twice].map((type) => store.appends.events.get(type))).toEqual([1, 2]);
    },
  },
  {
    title: 'refused versions are counted as conflicts, and other refusals are neither conflicts nor failures',
    async run({ store }) {
      const [stream, key] = [unused('account'), unused('name')];
      const { commit: first } = await store.append(newCommit(stream, 1, { holds: [key] }));
      const before = numbersOf(store.appends);
      for (const version of [1, 3]) await refusal(store.append(newCommit(stream, version)), WrongExpectedVersion);
      await refusal(store.append(newCommit(unused('account'), 1, { holds: [key] })), HoldTaken);
      const reused = newCommit(unused('account'), 1, { command: newCommand(first.command.id, 'hash-2') });
      expect(await outcomeOf(store.append(reused))).toBe('CommandIdReused');
      const { conflicts, failures, answers } = numbersOf(store.appends);
      expect([conflicts - before.conflicts, failures - before.failures]).toEqual([2, 0]);
      expect(answers - before.answers).toBe(4);
    },
  },
  {
    title: 'every append is counted in the batch sizes and durations',
    async run({ store }) {
      const before = numbersOf(store.appends);
      const commits = Array.from({ length: 20 }, () => newCommit(unused('account'), 1));
      await Promise.all(commits.map((commit) => store.append(commit)));
      const after = numbersOf(store.appends);
      expect(after.answers - before.answers).toBe(20);
      // A commit that lost its position to another process travels in more than one batch.
      expect(after.travelled - before.travelled).toBeGreaterThanOrEqual(20);
      expect(after.batches - before.batches).toBeLessThanOrEqual(after.travelled - before.travelled);
      expect(after.seconds).toBeGreaterThan(before.seconds);
    },
  },
];

function numbersOf({ conflicts, failures, batches, durations }: AppendCounts) {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
  return {
    conflicts,
    failures,
    batches: sum(batches.counts),
    travelled: batches.sum,
    answers: sum(durations.counts),
    seconds: durations.sum,
  };
}
