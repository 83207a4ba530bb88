import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { HoldTaken, WrongExpectedVersion } from '../../src/event-store.errors.js';
import type { EventStore } from '../../src/event-store.js';
import { newCommand, newCommit, unused } from '../new-commit.js';
import { appendOne, asStored, expectRefusedWhole, outcomeOf, readStream, refusal, tally } from '../outcome.js';
import type { ContractCase } from './contract-case.js';

/** Versions: the concurrency token of a stream. */
export const appendCases: readonly ContractCase[] = [
  {
    title: 'the first commit of a stream has version 1 and is returned as stored',
    async run({ store }) {
      const commit = newCommit(unused('account'), 1);
      const appended = await store.append(commit);
      expect(appended).toStrictEqual({ outcome: 'appended', commit });
      expect(await readStream(store, commit.stream)).toStrictEqual([asStored(commit)]);
    },
  },
  {
    title: 'an existing version is refused and nothing of the commit is stored',
    async run({ store }) {
      const stream = unused('account');
      const [first, second] = [
        await appendOne(store, newCommit(stream, 1)),
        await appendOne(store, newCommit(stream, 2)),
      ];
      for (const version of [2, 1, 0]) await expectRefusedWhole(store, stream, version);
      expect(await readStream(store, stream)).toStrictEqual([first, second]);
    },
  },
  {
    title: 'a version that would leave a gap is refused and nothing of the commit is stored',
    async run({ store }) {
      const stream = unused('account');
      await expectRefusedWhole(store, stream, 2);
      const first = await appendOne(store, newCommit(stream, 1));
      for (const version of [3, 100]) await expectRefusedWhole(store, stream, version);
      expect(await readStream(store, stream)).toStrictEqual([first]);
    },
  },
  {
    title: 'of concurrent appends of one version exactly one succeeds and is stored',
    async run({ store }) {
      const stream = unused('account');
      for (const version of [1, 2, 3]) {
        const commits = Array.from({ length: 10 }, () => newCommit(stream, version));
        const outcomes = await Promise.all(commits.map((commit) => outcomeOf(store.append(commit))));
        expect(tally(outcomes)).toEqual({ appended: 1, WrongExpectedVersion: 9 });
        const [stored] = await store.readStreams([{ stream, version: version - 1 }]);
        expect(stored?.command.id).toBe(commits[outcomes.indexOf('appended')]?.command.id);
      }
    },
  },
  {
    title: 'writers of one stream that reload after a refusal all succeed',
    async run({ store }) {
      const stream = unused('account');
      const writers = Array.from({ length: 6 }, () => newCommand());
      await Promise.all(writers.map((command) => appendWithRetries(store, stream, command)));
      const stored = await readStream(store, stream);
      expect(stored.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6]);
      expect(stored.map(({ command }) => command.id).toSorted()).toEqual(writers.map(({ id }) => id).toSorted());
    },
  },
  {
    title: 'concurrent appends to many streams are all stored',
    async run({ store }) {
      const commits = Array.from({ length: 60 }, () => newCommit(unused('account'), 1));
      await Promise.all(commits.map((commit) => store.append(commit)));
      const stored = await store.readStreams(commits.map(({ stream }) => ({ stream, version: 0 })));
      expect(stored).toHaveLength(60);
      const byStream = new Map(stored.map((commit) => [commit.stream, commit]));
      expect(commits.map(({ stream }) => byStream.get(stream))).toStrictEqual(commits.map(asStored));
    },
  },
  {
    title: 'a refusal in a burst of appends reaches only its own caller',
    async run({ store }) {
      const [stream, key] = [unused('account'), unused('name')];
      const first = await store.append(newCommit(stream, 1, { holds: [key] }));
      const burst = Array.from({ length: 10 }, () => [
        newCommit(unused('account'), 1),
        newCommit(stream, 1),
        newCommit(unused('account'), 1, { holds: [key] }),
        newCommit(unused('account'), 1, { command: newCommand(first.commit.command.id, 'hash-2') }),
        first.commit,
      ]).flat();
      const outcomes = await Promise.all(burst.map((commit) => outcomeOf(store.append(commit))));
      const expected = ['appended', 'WrongExpectedVersion', 'HoldTaken', 'CommandIdReused', 'replayed'];
      expect(outcomes).toEqual(Array.from({ length: 10 }, () => expected).flat());
      const stored = await store.readStreams(burst.map((commit) => ({ stream: commit.stream, version: 0 })));
      expect(new Set(stored.map(({ command }) => command.id)).size).toBe(11);
    },
  },
  {
    title: 'a refused commit can be appended once the reason is gone',
    async run({ store }) {
      const [stream, key] = [unused('account'), unused('name')];
      const early = newCommit(stream, 2);
      await refusal(store.append(early), WrongExpectedVersion);
      await store.append(newCommit(stream, 1, { holds: [key] }));
      expect((await store.append(early)).outcome).toBe('appended');

      const second = newCommit(unused('account'), 1, { holds: [key] });
      await refusal(store.append(second), HoldTaken);
      expect((await store.append({ ...second, holds: [] })).outcome).toBe('appended');
    },
  },
];

async function appendWithRetries(
  store: EventStore,
  stream: string,
  command: ReturnType<typeof newCommand>,
): Promise<void> {
  for (let attempt = 1; attempt <= 200; attempt++) {
    const version = (await readStream(store, stream)).length + 1;
    const outcome = await outcomeOf(store.append(newCommit(stream, version, { command })));
    if (outcome === 'appended') return;
    expect(outcome).toBe('WrongExpectedVersion');
    await setTimeout(5); // the winner may be decided and not yet readable
  }
  expect.fail('a writer was refused 200 times');
}
