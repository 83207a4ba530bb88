import { setImmediate } from 'node:timers/promises';
import { expect } from 'vitest';
import type { NewCommit } from '../../src/commit.js';
import type { EventStore } from '../../src/event-store.js';
import { newCommit, unused } from '../new-commit.js';
import { asStored, readStream } from '../outcome.js';
import type { ContractCase } from './contract-case.js';

/** Reading streams: whole, in order, fresh, and exactly what was written. */
export const readingCases: readonly ContractCase[] = [
  {
    title: 'several streams are read at once, each after its own point',
    async run({ store }) {
      const [one, two, three] = [unused('account'), unused('session'), unused('keys')];
      await fill(store, one, 4);
      await fill(store, two, 3);
      await fill(store, three, 2);
      const found = await store.readStreams([
        { stream: two, version: 0 },
        { stream: unused('account'), version: 0 },
        { stream: one, version: 2 },
        { stream: three, version: 2 },
      ]);
      const versions = Map.groupBy(found, ({ stream }) => stream);
      expect(versions.get(one)?.map(({ version }) => version)).toEqual([3, 4]);
      expect(versions.get(two)?.map(({ version }) => version)).toEqual([1, 2, 3]);
      expect(found).toHaveLength(5);
    },
  },
  {
    title: 'a commit that was appended elsewhere is read at once, even of a stream that was current',
    async run({ store, elsewhere = store }) {
      const stream = unused('account');
      await fill(store, stream, 1);
      for (let version = 1; version <= 20; version++) {
        const [reader, writer] = version % 2 === 0 ? [store, elsewhere] : [elsewhere, store];
        const point = { stream, version };
        expect(await reader.readStreams([point])).toEqual([]);
        const { commit } = await writer.append(newCommit(stream, version + 1));
        expect(reader.isCurrent([point])).not.toBe(true);
        expect(await reader.readStreams([point])).toStrictEqual([asStored(commit)]);
      }
    },
  },
  {
    title: 'a commit that was appended elsewhere is read at once beside own appends',
    async run({ store, elsewhere = store }) {
      const [own, other] = [unused('account'), unused('account')];
      await fill(store, other, 1);
      for (let version = 1; version <= 50; version++) {
        expect(await store.readStreams([{ stream: other, version }])).toEqual([]);
        const [, { commit }] = await Promise.all([
          store.append(newCommit(own, version)),
          elsewhere.append(newCommit(other, version + 1)),
        ]);
        expect(await store.readStreams([{ stream: other, version }])).toStrictEqual([asStored(commit)]);
      }
    },
  },
  {
    title: 'no points, unknown streams and points at or past the end yield nothing',
    async run({ store }) {
      const stream = unused('account');
      await fill(store, stream, 2);
      expect(await store.readStreams([])).toEqual([]);
      expect(await readStream(store, unused('account'))).toEqual([]);
      for (const version of [2, 3, 100]) expect(await store.readStreams([{ stream, version }])).toEqual([]);
      expect(await readStream(store, stream)).toHaveLength(2);
    },
  },
  {
    title: 'streams whose names begin alike or differ in case are different streams',
    async run({ store }) {
      const name = unused('account');
      const streams = [name, `${name}0`, `${name}-`, `${name}%`, `${name}Ä`, `${name}ä`, `${name} `, `${name}A`];
      for (const stream of streams) await fill(store, stream, 1);
      for (const stream of streams) {
        expect((await readStream(store, stream)).map((commit) => commit.stream)).toEqual([stream]);
      }
    },
  },
  {
    title: 'a commit can be read as soon as its append is acknowledged',
    async run({ store }) {
      const stream = unused('account');
      for (let version = 1; version <= 20; version++) {
        const { commit } = await store.append(newCommit(stream, version, { holds: [`${stream}:${version}`] }));
        const reads = await Promise.all([
          store.readStreams([{ stream, version: version - 1 }]),
          store.findCommand(commit.command.id),
          store.findLastHold(`${stream}:${version}`),
        ]);
        const stored = asStored(commit);
        expect(reads).toStrictEqual([[stored], stored, { key: `${stream}:${version}`, stream, at: commit.at }]);
      }
    },
  },
  {
    title: 'a reader sees a stream grow without gaps while it is written',
    async run({ store }) {
      const stream = unused('account');
      let [writing, seen] = [true, 0];
      const writer = fill(store, stream, 40).finally(() => (writing = false));
      while (writing) {
        const versions = (await readStream(store, stream)).map(({ version }) => version);
        expect(versions).toEqual(versions.map((_, index) => index + 1));
        expect(versions.length).toBeGreaterThanOrEqual(seen);
        seen = versions.length;
        await setImmediate();
      }
      await writer;
      expect(await readStream(store, stream)).toHaveLength(40);
    },
  },
  {
    title: 'a commit is returned with every field as written',
    async run({ store }) {
      const commit: NewCommit = {
        ...newCommit(unused('account'), 1),
        partition: unused('partition'),
        at: 1_735_689_600_123,
        session: 'session-7',
        clientCorrelation: 'client-7',
        causation: 'message-7',
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
        holds: [unused('name'), unused('otp')],
        events: [
          { type: 'account.created', v: 3, data: { name: 'first' }, sealed: { secret: 'k1.AAAA', code: '' } },
          { type: 'account.enabled', v: 1, data: {} },
        ],
      };
      await expectRoundTrip(store, commit);
    },
  },
  {
    title: 'omitted fields stay absent',
    async run({ store }) {
      const commit = newCommit(unused('account'), 1, { events: [] });
      await expectRoundTrip(store, commit);
      expect(Object.keys((await readStream(store, commit.stream))[0] ?? {}).toSorted()).toEqual(
        [...Object.keys(commit), 'position'].toSorted(),
      );
    },
  },
  {
    title:
      'texts come back to the character: emoji, line separators, combining marks, control characters, nothing at all',
    async run({ store }) {
      const texts = [
        '',
        ' ',
        '👩‍👩‍👧‍👦',
        '\u2028\u2029',
        'e\u0301 \u00e9',
        '\u0001\t\r\n',
        '"\\\'',
        'עברית',
        '\ufeff\ufffd',
        '\u{10ffff}',
      ];
      const text = texts.join('|');
      await expectRoundTrip(store, {
        ...newCommit(unused(text), 1),
        actor: text,
        correlation: '',
        causation: '',
        holds: [unused(text)],
        events: texts.map((each) => ({ type: each, v: 1, data: { [`key ${each}`]: each }, sealed: { sealed: each } })),
      });
    },
  },
  {
    title: 'data of any JSON shape is returned: deep, large, with awkward keys and numbers',
    async run({ store }) {
      let deep: unknown = 'bottom';
      for (let level = 0; level < 60; level++) deep = level % 2 ? [deep] : { deep };
      const numbers = [0, -1, 0.1, 1e-7, 2 ** 31, -(2 ** 40), Number.MAX_SAFE_INTEGER, 1.7976931348623157e308];
      const awkward = {
        $set: { 'a.b': 1 },
        '': null,
        '0': true,
        length: [],
        constructor: 'x',
        _id: 'y',
        $: [[{}], null],
      };
      const data = { deep, numbers, awkward, large: 'ß'.repeat(100_000) };
      await expectRoundTrip(store, newCommit(unused('account'), 1, { events: [{ type: 'x', v: 1, data }] }));
    },
  },
];

async function fill(store: EventStore, stream: string, versions: number): Promise<void> {
  for (let version = 1; version <= versions; version++) await store.append(newCommit(stream, version));
}

/** The commit is the same in the answer to the append, in its stream and under its command id. */
async function expectRoundTrip(store: EventStore, commit: NewCommit): Promise<void> {
  expect((await store.append(commit)).commit).toStrictEqual(commit);
  expect(await readStream(store, commit.stream)).toStrictEqual([asStored(commit)]);
  expect(await store.findCommand(commit.command.id)).toStrictEqual(asStored(commit));
}
