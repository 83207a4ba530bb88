import { StoreUnavailable } from '@keyfold/event-store';
import { requireSchema } from '@keyfold/event-store/mongo';
import fc from 'fast-check';
import type { Connection } from 'mongoose';
import { describe, expect, it } from 'vitest';
import { timesLength } from '../../../../test/support/test-length.js';
import { openThrottle } from '../../testing/embedded-throttle.js';
import { openMongoThrottle } from '../../testing/mongo-throttle.js';
import { key, MINUTE, NOON } from '../../testing/throttled-keys.js';
import { describeThrottleStore } from '../../testing/throttle-store.contract.js';
import type { CounterChanges, ThrottleKey, ThrottleStore } from '../throttle/throttle-store.js';
import { countPipeline, undoPipeline } from './throttle-updates.js';
import { throttleModels, type ThrottleDocument } from './throttle.model.js';

describeThrottleStore('MongoDB', async () => {
  const { store, join } = await openMongoThrottle();
  return { store, join: async () => (await join()).store };
});

describe('the round trips of a login', () => {
  const names = ['source', 'pair', 'account'];
  const silent = names.map((name): ThrottleKey => ({ key: name, rule: key(name).rule }));
  const success: CounterChanges = {
    reset: ['pair'],
    refund: ['source', 'account'],
    remember: { key: 'k', until: NOON },
  };

  it('are one to be admitted and one to record a success', async () => {
    const { connection, store } = await openMongoThrottle();
    const commands = watch(connection);
    for (const _ of [1, 2]) {
      await store.admit(silent, NOON);
      await store.apply(success);
    }
    expect(commands).toEqual(['update', 'update', 'update', 'update']);
  });

  it('are one more to report the failures of the last key', async () => {
    const { connection, store } = await openMongoThrottle();
    const commands = watch(connection);
    await store.admit([...silent.slice(0, 2), key('account')], NOON);
    expect(commands).toEqual(['update', 'findAndModify']);
  });

  it('are one read to be refused again or to check for a block', async () => {
    const { connection, store } = await openMongoThrottle();
    for (let n = 0; n < 6; n++) await store.admit(silent, NOON);
    const commands = watch(connection);
    expect(await store.admit(silent, NOON)).toEqual({ admitted: false, retryAfterSeconds: 300 });
    expect(await store.secondsBlocked(silent, NOON)).toBe(300);
    expect(commands).toEqual(['find', 'find']);
  });

  function watch(connection: Connection): string[] {
    const commands: string[] = [];
    connection.getClient().on('commandStarted', ({ commandName }) => commands.push(commandName));
    return commands;
  }
});

describe('several processes', () => {
  it('see immediately that a block was lifted', async () => {
    const { store, join } = await openMongoThrottle();
    const other = (await join()).store;
    for (let n = 0; n < 5; n++) await store.admit([key('a')], NOON);
    for (const each of [store, other]) expect(await each.admit([key('a')], NOON)).toMatchObject({ admitted: false });
    await other.apply({ reset: ['a'] });
    expect(await store.admit([key('a')], NOON)).toEqual({ admitted: true, failures: [1] });
  });
});

describe('counters', () => {
  it('are deleted by the database an hour after they expire', async () => {
    const { connection } = await openMongoThrottle();
    await requireSchema(connection, throttleModels(connection));
    const indexes = await connection.collection('throttle').indexes();
    expect(indexes).toContainEqual(expect.objectContaining({ key: { expires: 1 }, expireAfterSeconds: 3_600 }));
  });

  it('are unavailable when the connection is closed', async () => {
    const { connection, store } = await openMongoThrottle();
    for (let n = 0; n < 6; n++) await store.admit([key('blocked')], NOON);
    await connection.close();
    const operations = [
      store.admit([key('a')], NOON),
      store.admit([{ key: 'a', rule: key('a').rule }], NOON),
      store.admit([key('blocked')], NOON),
      store.secondsBlocked([key('blocked')], NOON),
      store.apply({ reset: ['a'] }),
    ];
    for (const outcome of await Promise.allSettled(operations)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) });
    }
  });
});

it('an undone attempt leaves no trace, whatever was counted, undone or refunded since', async () => {
  const { connection, store } = await openMongoThrottle();
  // The store does not wait for a majority, so reads must not either.
  const database = connection.getClient().db(connection.name);
  const counters = database.collection<ThrottleDocument>('throttle', { readConcern: { level: 'local' } });
  const rule = { limit: 1_000, firstBlock: 1, maxBlock: 1, forgetAfter: MINUTE, countFrom: 'first' } as const;
  const change = fc.oneof(
    { weight: 6, arbitrary: fc.constant('count' as const) },
    { weight: 1, arbitrary: fc.constant('admit' as const) },
    { weight: 6, arbitrary: fc.nat(3).map((which) => ({ which })) },
    { weight: 1, arbitrary: fc.constant('refund' as const) },
  );
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 5, maxLength: 30 }), async (changes) => {
      const _id = `key ${++run}`;
      const open: string[] = [];
      let [failures, admitted] = [1, 1];
      await counters.updateOne({ _id }, countPipeline({ key: _id, rule }, { id: 'first', now: NOON }), {
        upsert: true,
      });
      for (const [index, each] of changes.entries()) {
        const id = `attempt ${index}`;
        if (each === 'count' || each === 'admit') {
          await counters.updateOne({ _id }, countPipeline({ key: _id, rule }, { id, now: NOON + index }));
          if (each === 'admit') admitted += 1;
          else open.push(id);
          failures += 1;
        } else if (each === 'refund' && admitted > 0) {
          await store.apply({ refund: [_id] });
          admitted -= 1;
          failures -= 1;
        } else if (each !== 'refund' && open.length > 0) {
          const [taken] = open.splice(-1 - (each.which % open.length), 1);
          await counters.updateOne({ _id }, undoPipeline({ id: taken!, now: NOON }));
          failures -= 1;
        }
        expect(await counters.findOne({ _id })).toMatchObject({ failures });
      }
    }),
    // The example undoes an attempt that is the last one only because later ones were undone before.
    { numRuns: timesLength(20), examples: [[['count', 'count', 'count', 'count', ...Array(4).fill({ which: 0 })]]] },
  );
});

it('MongoDB and SQLite give the same results for any sequence of operations', async () => {
  const { store: first, join } = await openMongoThrottle();
  const gateways = [first, (await join()).store];
  const { store: embedded } = openThrottle();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      run += 1;
      let now = NOON;
      for (const [index, { wait, act }] of steps.entries()) {
        now += wait;
        const answers = [];
        for (const store of [gateways[index % 2]!, embedded]) answers.push(await act(store, `${run}:`, now));
        expect(answers[0]).toEqual(answers[1]);
      }
    }),
    { numRuns: timesLength(15) },
  );
});

const RULES = [
  { limit: 2, firstBlock: 1_000, maxBlock: 10_000, forgetAfter: MINUTE, countFrom: 'last' },
  { limit: 3, firstBlock: 5_000, maxBlock: 5_000, forgetAfter: 20_000, countFrom: 'first' },
  { limit: 4, firstBlock: 30_000, maxBlock: 120_000, forgetAfter: 10_000, countFrom: 'last' },
] as const;
const NAMES = ['a', 'b', 'c'];
const name = fc.constantFrom(...NAMES);

/** Each name has its own rule and may report its failures. */
const keys = fc.uniqueArray(fc.tuple(name, fc.boolean()), { minLength: 1, selector: ([each]) => each });
const admitting = fc
  .tuple(keys, fc.boolean())
  .map(([chosen, onlyChecks]) => (store: ThrottleStore, prefix: string, now: number) => {
    const asked = chosen.map(([each, reportFailures]): ThrottleKey => ({
      key: prefix + each,
      rule: RULES[NAMES.indexOf(each)]!,
      ...(reportFailures ? { reportFailures } : {}),
    }));
    return onlyChecks ? store.secondsBlocked(asked, now) : store.admit(asked, now);
  });

const changing = fc
  .record({
    reset: fc.option(name),
    refund: fc.uniqueArray(name),
    remember: fc.option(fc.tuple(name, fc.nat(40_000))),
  })
  .map(
    ({ reset, refund, remember }) =>
      (store: ThrottleStore, prefix: string, now: number) =>
        store.apply({
          ...(reset === null ? {} : { reset: [prefix + reset] }),
          refund: refund.filter((each) => each !== reset).map((each) => prefix + each),
          ...(remember ? { remember: { key: `${prefix}known ${remember[0]}`, until: now + remember[1] } } : {}),
        }),
  );

const remembering = name.map(
  (each) => (store: ThrottleStore, prefix: string, now: number) => store.isRemembered(`${prefix}known ${each}`, now),
);

const step = fc.record({
  wait: fc.constantFrom(0, 0, 0, 1, 500, 1_000, 4_999, 5_000, 10_000, 20_000, 60_000),
  act: fc.oneof(
    { weight: 5, arbitrary: admitting },
    { weight: 1, arbitrary: changing },
    { weight: 1, arbitrary: remembering },
  ),
});
