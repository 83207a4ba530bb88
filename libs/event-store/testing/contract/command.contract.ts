import { expect } from 'vitest';
import { CommandIdReused } from '../../src/event-store.errors.js';
import { newCommand, newCommit, unused } from '../new-commit.js';
import { asStored, outcomeOf, readStream, refusal, tally } from '../outcome.js';
import type { ContractCase } from './contract-case.js';

/** Command ids: what makes a repeated request harmless. */
export const commandCases: readonly ContractCase[] = [
  {
    title: 'a repeated command returns its first commit, whatever was decided this time',
    async run({ store }) {
      const [stream, command] = [unused('account'), newCommand()];
      const first = await store.append(newCommit(stream, 1, { command }));
      await store.append(newCommit(stream, 2));
      await store.append(newCommit(stream, 3));
      const events = [{ type: 'account.disabled', v: 1, data: {} }];
      for (const version of [1, 2, 4, 9]) {
        const repeated = await store.append(newCommit(stream, version, { command, events }));
        expect(repeated).toStrictEqual({ outcome: 'replayed', commit: first.commit });
      }
      expect(await store.append(newCommit(unused('account'), 1, { command }))).toStrictEqual({
        outcome: 'replayed',
        commit: first.commit,
      });
      expect(await readStream(store, stream)).toHaveLength(3);
    },
  },
  {
    title: 'of 20 concurrent appends of one commit one is stored, and all return the same result',
    async run({ store }) {
      const commit = newCommit(unused('account'), 1, { holds: [unused('name')] });
      const answers = await Promise.all(Array.from({ length: 20 }, () => store.append(commit)));
      expect(tally(answers.map(({ outcome }) => outcome))).toEqual({ appended: 1, replayed: 19 });
      expect(await readStream(store, commit.stream)).toStrictEqual([asStored(commit)]);
      for (const answer of answers) expect(answer.commit).toStrictEqual(commit);
    },
  },
  {
    title: 'a command id with another hash is refused, and nothing of that commit is stored',
    async run({ store }) {
      const [stream, elsewhere, key] = [unused('account'), unused('account'), unused('name')];
      const first = await store.append(newCommit(stream, 1));
      const command = newCommand(first.commit.command.id, 'hash-2');
      await refusal(store.append(newCommit(stream, 2, { command, holds: [key] })), CommandIdReused);
      await refusal(store.append(newCommit(elsewhere, 1, { command, holds: [key] })), CommandIdReused);
      expect(await store.findCommand(command.id)).toStrictEqual(asStored(first.commit));
      expect(await store.findLastHold(key)).toBeUndefined();
      expect(await readStream(store, elsewhere)).toEqual([]);
    },
  },
  {
    title: 'of concurrent commits with one command id and different hashes exactly one succeeds',
    async run({ store }) {
      const id = unused('command');
      const commits = Array.from({ length: 10 }, (_, index) =>
        newCommit(unused('account'), 1, { command: newCommand(id, `hash-${index}`) }),
      );
      const outcomes = await Promise.all(commits.map((commit) => outcomeOf(store.append(commit))));
      expect(tally(outcomes)).toEqual({ appended: 1, CommandIdReused: 9 });
      const winner = commits[outcomes.indexOf('appended')];
      expect((await store.findCommand(id))?.stream).toBe(winner?.stream);
    },
  },
];
