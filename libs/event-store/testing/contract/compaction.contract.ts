import { expect } from 'vitest';
import type { Commit } from '../../src/commit.js';
import { isCompacted, voidStreamOf, type StreamCompaction } from '../../src/compaction.js';
import { CommandIdReused, HoldTaken } from '../../src/event-store.errors.js';
import { replayed, type EventStore } from '../../src/event-store.js';
import { newCommand, newCommit, unused } from '../new-commit.js';
import { appendOne, appendEach, expectRefusedWhole, outcomeOf, readStream, refusal, readFeeds } from '../outcome.js';
import type { ContractCase } from './contract-case.js';

/** Compaction: events go for good, and nothing that others rely on goes with them. */
export const compactionCases: readonly ContractCase[] = [
  {
    title: 'a compacted stream yields nothing, and its events are gone everywhere',
    async run(open) {
      const stream = unused('session');
      const commits = await fill(open.store, stream, 3);
      expect(await open.store.compact([stream])).toBe(3);
      expect(await readStream(open.store, stream)).toEqual([]);
      expect(await open.store.readStreams([{ stream, version: 2 }])).toEqual([]);
      const left = await readStream(open.store, voidStreamOf(stream));
      expect(left.map(({ version, position, at }) => ({ version, position, at }))).toEqual(
        commits.map(({ version, position, at }) => ({ version, position, at })),
      );
      expect(left.map(isCompacted)).toEqual([true, true, true]);
      expect(JSON.stringify(left)).not.toMatch(
        /address|"account:1"|"request-1"|"message-7"|"session-7"|"client-7"|"00-aa/,
      );
      expect(left.flatMap(({ events }) => events)).toEqual([]);
    },
  },
  {
    title: 'the feeds keep their positions and all other commits',
    async run(open) {
      const partition = unused('partition');
      const [gone, kept, alike] = [unused('session'), unused('session'), unused('session')];
      const appended: Commit[] = [];
      for (const stream of [gone, kept, gone, `${gone}-2`, alike, kept]) {
        const version = appended.filter((commit) => commit.stream === stream).length + 1;
        appended.push(await appendOne(open.store, newCommit(stream, version, { partition })));
      }
      const before = await readFeeds(open, appended);
      const heads = await open.store.readHeads();
      await open.store.compact([gone, alike]);
      const after = await readFeeds(open, appended);
      expect(after.map(({ length }) => length)).toEqual(before.map(({ length }) => length));
      expect(await open.store.readHeads()).toEqual(heads);
      for (const [slot, feed] of before.entries()) {
        const others = feed.filter(({ stream }) => stream !== gone && stream !== alike);
        expect(after[slot]!.filter((commit) => others.some(({ position }) => position === commit.position))).toEqual(
          others,
        );
      }
      const slot = open.store.slotOf(partition);
      const replaced = after[slot]!.filter(({ stream }) => [gone, alike].map(voidStreamOf).includes(stream));
      expect(replaced.map(({ position }) => position)).toEqual(
        [appended[0], appended[2], appended[4]].map((commit) => commit?.position),
      );
      // The void commits belong to no account.
      expect(new Set(replaced.map((commit) => commit.partition))).toEqual(new Set([`void-${slot}`]));
      const next = await appendOne(open.store, newCommit(kept, 3, { partition }));
      expect(next.position).toBeGreaterThan(appended.at(-1)!.position);
    },
  },
  {
    title: 'a command with a compacted commit is still not carried out twice',
    async run({ store }) {
      const stream = unused('session');
      const commit = newCommit(stream, 1);
      await store.append(commit);
      await store.compact([stream]);
      const [left] = await readStream(store, voidStreamOf(stream));
      expect(await store.findCommand(commit.command.id)).toEqual(left);
      expect(await store.append(commit)).toEqual(replayed(left!));
      const reused = newCommand(commit.command.id, 'hash-2');
      await refusal(store.append(newCommit(unused('account'), 1, { command: reused })), CommandIdReused);
      expect(await readStream(store, stream)).toEqual([]);
    },
  },
  {
    title: 'the holds of a compacted commit stay taken',
    async run({ store }) {
      const [stream, key] = [unused('session'), unused('otp')];
      await store.append(newCommit(stream, 1, { holds: [key] }));
      await store.compact([stream]);
      const { key: taken } = await refusal(store.append(newCommit(unused('session'), 1, { holds: [key] })), HoldTaken);
      expect(taken).toBe(key);
      expect(await store.findLastHold(key)).toMatchObject({ key, stream: voidStreamOf(stream) });
    },
  },
  {
    title: 'a compacted stream is closed: every append of any process and version is refused',
    async run(open) {
      const { store, elsewhere = store } = open;
      const lengths = new Map([1, 2, 3].map((length) => [unused('session'), length]));
      for (const [stream, length] of lengths) await fill(store, stream, length);
      for (const stream of lengths.keys()) await readStream(elsewhere, stream);
      await store.compact([...lengths.keys()]);
      const expectClosed = async (each: EventStore) => {
        for (const [stream, length] of lengths) {
          for (let version = 0; version <= length + 2; version++) await expectRefusedWhole(each, stream, version);
          expect(await readStream(each, stream)).toEqual([]);
          expect(await readStream(each, voidStreamOf(stream))).toHaveLength(length);
        }
      };
      await expectClosed(store);
      await expectClosed(elsewhere);
      await expectClosed((await open.reopen()).store);
    },
  },
  {
    title: 'an append during a compaction is compacted with its stream or refused',
    async run({ store, elsewhere = store }) {
      const streams = Array.from({ length: 20 }, () => unused('session'));
      for (const stream of streams) await fill(store, stream, 1);
      await elsewhere.readStreams(streams.map((stream) => ({ stream, version: 0 })));
      const compactions = streams.map((stream) => compactedBy(store, stream));
      const outcomes = await Promise.all(streams.map((stream) => outcomeOf(elsewhere.append(newCommit(stream, 2)))));
      await Promise.all(compactions);
      for (const [index, stream] of streams.entries()) {
        expect(await readStream(store, stream)).toEqual([]);
        const left = await readStream(store, voidStreamOf(stream));
        // One that met the compaction is tried again, and may find that its first attempt was stored.
        const due = left.length === 2 ? ['appended', 'replayed'] : ['WrongExpectedVersion'];
        expect(due).toContain(outcomes[index]);
      }
    },
  },
  {
    title: 'many streams are compacted at once and repeatedly, and nonexistent ones are skipped',
    async run(open) {
      const streams = Array.from({ length: 40 }, () => unused('session'));
      const appended = (await Promise.all(streams.map((stream) => fill(open.store, stream, 2)))).flat();
      await readFeeds(open, appended);
      expect(await open.store.compact([])).toBe(0);
      expect(await open.store.compact([unused('session'), ...streams])).toBe(80);
      expect(await open.store.compact(streams)).toBe(0);
      const points = streams.map((stream) => ({ stream, version: 0 }));
      expect(await open.store.readStreams(points)).toEqual([]);
      const voids = points.map((point) => ({ ...point, stream: voidStreamOf(point.stream) }));
      expect(await open.store.readStreams(voids)).toHaveLength(80);
      await readFeeds(open, appended);
    },
  },
  {
    title: 'a stream that two processes compact at once during appends is compacted once',
    async run(open) {
      const { store, elsewhere = store } = open;
      const stream = unused('session');
      await fill(store, stream, 2);
      const others = Array.from({ length: 20 }, () => newCommit(unused('account'), 1));
      const compactions = [store, elsewhere].map((each) => compactedBy(each, stream));
      await Promise.all(others.map((commit) => store.append(commit)));
      const counts = await Promise.all(compactions);
      expect(counts.reduce((sum, each) => sum + each, 0)).toBe(2);
      expect(await readStream(store, stream)).toEqual([]);
      await readFeeds(open, others);
    },
  },
  {
    title: 'an erased stream is compacted, its holds are free, and nothing is left of the hashes of its commands',
    async run({ store }) {
      const [stream, compacted, key, code] = [unused('account'), unused('session'), unused('name'), unused('otp')];
      const commit = newCommit(stream, 1, { holds: [key, `${key}:released`] });
      const first = await appendOne(store, commit);
      await store.append(newCommit(stream, 2));
      await store.append(newCommit(compacted, 1, { holds: [code] }));
      await store.compact([compacted]);
      expect(await store.erase([stream, compacted, unused('session')])).toBe(2);
      expect(await store.erase([stream, compacted])).toBe(0);
      expect(await readStream(store, stream)).toEqual([]);
      for (const each of [stream, compacted]) {
        const left = await readStream(store, voidStreamOf(each));
        expect(left.filter((one) => !isCompacted(one) || one.holds || one.command.hash !== '')).toEqual([]);
      }
      expect(await store.findCommand(commit.command.id)).toMatchObject({ position: first.position, events: [] });
      expect(await store.findLastHold(key)).toBeUndefined();
      await refusal(store.append(commit), CommandIdReused);
      await expectRefusedWhole(store, stream, 3);
      const { outcome } = await store.append(newCommit(unused('account'), 1, { holds: [key, code] }));
      expect(outcome).toBe('appended');
    },
  },
];

/** Retries if another process was faster. */
async function compactedBy(compaction: StreamCompaction, stream: string): Promise<number> {
  for (;;) {
    try {
      return await compaction.compact([stream]);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'StoreUnavailable') throw error;
    }
  }
}

async function fill(store: EventStore, stream: string, versions: number): Promise<Commit[]> {
  const traced = { session: 'session-7', clientCorrelation: 'client-7', causation: 'message-7', traceparent: '00-aa' };
  const events = [{ type: 'started', v: 1, data: { address: '192.0.2.7' } }];
  const commits = Array.from({ length: versions }, (_, index) => newCommit(stream, index + 1, { events, ...traced }));
  return appendEach(store, commits);
}
