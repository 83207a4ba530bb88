import { expect } from 'vitest';
import type { Commit, NewCommit } from '../../src/commit.js';
import { IntakeRefused } from '../../src/commit-intake.js';
import { COMPACTION, voidStreamOf } from '../../src/compaction.js';
import { HoldTaken } from '../../src/event-store.errors.js';
import { newCommit, unused } from '../new-commit.js';
import { appendOne, expectRefusedWhole, readSlot, readStream, refusal } from '../outcome.js';
import type { ContractCase, OpenStore } from './contract-case.js';

/** The taking over of commits: they are the same as in the store that made them. */
export const intakeCases: readonly ContractCase[] = [
  {
    title: 'commits are taken over as they are',
    async run(open) {
      const { store, intake } = open;
      const [partition, stream, key] = [unused('partition'), unused('account'), unused('name')];
      const traced = { session: 's', clientCorrelation: 'c', causation: 'm', traceparent: 't', holds: [key] };
      const { slot, commits } = await atHead(open, partition, [
        newCommit(stream, 1, { partition, at: 5, actor: 'account:9', ...traced }),
        newCommit(unused('session'), 1, { partition, events: [] }),
        newCommit(stream, 2, { partition }),
      ]);
      await intake.takeOver(slot, commits);
      expect((await readSlot(store, slot)).slice(-3)).toEqual(commits);
      expect(await readStream(store, stream)).toEqual([commits[0], commits[2]]);
      expect(await store.findCommand(commits[0]!.command.id)).toEqual(commits[0]);
      expect(await store.findLastHold(key)).toMatchObject({ key, stream });
      await refusal(store.append(newCommit(unused('account'), 1, { holds: [key] })), HoldTaken);
      const next = await appendOne(store, newCommit(stream, 3, { partition }));
      expect(next.position).toBe(commits[2]!.position + 1);
    },
  },
  {
    title: 'a position that is not the next one is refused',
    async run(open) {
      const { slot, commits } = await atHead(open, unused('partition'), [newCommit(unused('account'), 1)]);
      for (const shift of [-1, 1]) {
        const moved = commits.map((commit) => ({ ...commit, position: commit.position + shift }));
        await expect(open.intake.takeOver(slot, moved)).rejects.toThrow(IntakeRefused);
      }
      await open.intake.takeOver(slot, commits);
    },
  },
  {
    title: 'a command id, a hold or a version that another commit has is refused',
    async run(open) {
      const [stream, key] = [unused('account'), unused('name')];
      const { commit: earlier } = await open.store.append(newCommit(stream, 1, { holds: [key] }));
      const doubles = [
        newCommit(unused('account'), 1, { command: earlier.command }),
        newCommit(unused('account'), 1, { holds: [key] }),
        newCommit(stream, 1),
      ];
      for (const double of doubles) {
        const { slot, commits } = await atHead(open, double.partition, [double]);
        await expect(open.intake.takeOver(slot, commits)).rejects.toThrow(IntakeRefused);
      }
    },
  },
  {
    title: 'a compacted stream stays closed, wherever its void commits are divided',
    async run(open) {
      for (const length of [1, 2, 3]) {
        const stream = unused('session');
        const { slot, commits } = await atHead(open, 'void-0', voids(stream, 1, 3));
        await open.intake.takeOver(slot, commits.slice(0, length));
        await open.intake.takeOver(slot, commits.slice(length));
        await expectClosed(open, stream, 3);
      }
    },
  },
  {
    title: 'commits of a stream that was compacted after they had been read become void',
    async run(open) {
      const [stream, key] = [unused('session'), unused('otp')];
      const read = [newCommit(stream, 1, { holds: [key] }), newCommit(stream, 2)];
      const { slot, commits } = await atHead(open, stream, read);
      await open.intake.takeOver(slot, commits);
      const next = await atHead(open, stream, voids(stream, 3, 4));
      await open.intake.takeOver(slot, next.commits);
      await expectClosed(open, stream, 4);
      expect(await open.store.findLastHold(key)).toMatchObject({ key, stream: voidStreamOf(stream) });
    },
  },
];

/** Gives commits the positions behind the head of a slot. */
async function atHead({ store }: OpenStore, partition: string, commits: readonly NewCommit[]) {
  const slot = store.slotOf(partition);
  const head = (await store.readHeads()).get(slot) ?? 0;
  return { slot, commits: commits.map((commit, index): Commit => ({ ...commit, position: head + 1 + index })) };
}

const voids = (stream: string, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => {
    const commit = newCommit(voidStreamOf(stream), from + index, { partition: 'void-0', events: [] });
    return { ...commit, command: { ...commit.command, type: COMPACTION } };
  });

async function expectClosed({ store }: OpenStore, stream: string, length: number): Promise<void> {
  expect(await readStream(store, stream)).toEqual([]);
  const left = await readStream(store, voidStreamOf(stream));
  expect(left.map(({ version, events }) => [version, events])).toEqual(
    Array.from({ length }, (_, index) => [index + 1, []]),
  );
  for (let version = 1; version <= length + 2; version++) await expectRefusedWhole(store, stream, version);
}
