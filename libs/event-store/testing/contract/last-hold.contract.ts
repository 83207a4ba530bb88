import { expect } from 'vitest';
import type { EventStore } from '../../src/event-store.js';
import type { ContractCase } from '../contract-case.js';
import { newCommit, unused } from '../new-commit.js';

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
