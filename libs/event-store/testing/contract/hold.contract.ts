import { expect } from 'vitest';
import { CommandIdReused, HoldTaken, WrongExpectedVersion } from '../../src/event-store.errors.js';
import type { EventStore } from '../../src/event-store.js';
import { newCommand, newCommit, unused } from '../new-commit.js';
import { appendOne, outcomeOf, readStream, refusal, tally } from '../outcome.js';
import type { ContractCase } from './contract-case.js';

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
    title: 'of many holds and command ids exactly the stored ones are found, also together with others in one commit',
    async run({ store }) {
      const [one, two, other, free] = [unused('name'), unused('name'), unused('name'), unused('name')];
      const first = await appendOne(store, newCommit(unused('account'), 1, { holds: [one, other] }));
      const second = await appendOne(store, newCommit(unused('account'), 1, { holds: [two] }));
      expect((await store.findHolds([free, two, one])).toSorted()).toEqual([one, two].toSorted());
      const ids = [unused('command'), second.command.id, first.command.id];
      const found = await store.findCommands(ids);
      expect(found.toSorted((a, b) => ids.indexOf(b.command.id) - ids.indexOf(a.command.id))).toStrictEqual([
        first,
        second,
      ]);
      expect([await store.findHolds([]), await store.findCommands([])]).toEqual([[], []]);
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

/** The last hold with a prefix: how the present owner of a name is found. */
export const lastHoldCases: readonly ContractCase[] = [
  {
    title: 'the last hold of a name is its highest turn, released after taken, whatever the order of the appends',
    async run({ store }) {
      const name = unused('name');
      for (const suffix of ['0000000001', '0000000001:released', '0000000002', '0000000010']) {
        const stream = await hold(store, `${name}:${suffix}`);
        expect(await store.findLastHold(`${name}:`)).toMatchObject({ key: `${name}:${suffix}`, stream });
      }
      await hold(store, `${name}:0000000009:released`);
      expect((await store.findLastHold(`${name}:`))?.key).toBe(`${name}:0000000010`);
    },
  },
  {
    title: 'the last hold has the time of its own commit, even after a compaction and reopening',
    async run(open) {
      const [name, stream] = [unused('name'), unused('session')];
      for (const [turn, at] of [1_768_000_000_001, 1_768_000_000_003, 1_768_000_000_002].entries()) {
        const key = `${name}:${turn}`;
        await open.store.append(newCommit(stream, turn + 1, { at, holds: [key, `${key}:released`] }));
        expect(await open.store.findLastHold(name)).toEqual({ key: `${key}:released`, stream, at });
      }
      await open.store.compact([stream]);
      const { store } = await open.reopen();
      expect(await store.findLastHold(name)).toMatchObject({ key: `${name}:2:released`, at: 1_768_000_000_002 });
    },
  },
  {
    title: 'keys with a common beginning are distinguished',
    async run({ store }) {
      const name = unused('name');
      const keys = ['', 'a', 'ab', 'aba', 'b'].map((rest) => `${name}${rest}:0000000001`);
      for (const key of keys) await hold(store, key);
      for (const key of keys) expect((await store.findLastHold(key.slice(0, -10)))?.key).toBe(key);
      expect(await store.findLastHold(`${name}abb:`)).toBeUndefined();
      expect(await store.findLastHold(`${name}A:`)).toBeUndefined();
      expect((await store.findLastHold(name))?.key).toBe(`${name}b:0000000001`);
    },
  },
  {
    title: 'a key matches itself as prefix',
    async run({ store }) {
      const key = unused('name');
      const stream = await hold(store, key);
      expect(await store.findLastHold(key)).toMatchObject({ key, stream });
      expect(await store.findLastHold(`${key}:`)).toBeUndefined();
    },
  },
  {
    title: 'every character of a prefix is literal',
    async run({ store }) {
      const name = unused('name');
      await hold(store, `${name}:plain`);
      for (const special of ['%', '_', '.*', '^', '$', '[a-z]', '*', '?', '\\', "'", '"']) {
        expect(await store.findLastHold(`${name}:${special}`)).toBeUndefined();
        await hold(store, `${name}:${special}:1`);
        expect((await store.findLastHold(`${name}:${special}`))?.key).toBe(`${name}:${special}:1`);
      }
    },
  },
  {
    title: 'keys beyond ASCII are ordered by their bytes',
    async run({ store }) {
      const name = unused('name');
      // In UTF-16 the emoji would be before the full-width letter, in a dictionary the umlaut before z.
      const ordered = ['Z', 'a', 'z', 'ä', 'я', '日', '\u{FF21}', '\u{1F600}'];
      for (const last of ordered) {
        await hold(store, `${name}:${last}`);
        expect((await store.findLastHold(`${name}:`))?.key).toBe(`${name}:${last}`);
      }
      for (const prefix of ordered) {
        expect((await store.findLastHold(`${name}:${prefix}`))?.key).toBe(`${name}:${prefix}`);
      }
    },
  },
];

/** Takes the hold in a stream of its own and returns that stream. */
async function hold(store: EventStore, key: string): Promise<string> {
  const stream = unused('account');
  await store.append(newCommit(stream, 1, { holds: [key] }));
  return stream;
}
