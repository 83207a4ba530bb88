import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newCommit, unused } from '../contract/new-commit.contract.js';
import { outcomeOf, readStream, refusal, tally } from '../contract/outcome.contract.js';
import { readFeeds } from '../contract/read-feeds.contract.js';
import { describeEventStore } from '../event-store.contract.js';
import { StoreUnavailable } from '../event-store.errors.js';
import { openSqlite, temporaryFolder } from './open-sqlite.contract.js';

describeEventStore('SQLite', async () => openSqlite());

describe('a file that another program has locked', () => {
  it('refuses appends after a while, stays readable, and takes the same commits once it is free', async () => {
    const path = join(temporaryFolder(), 'events.db');
    const open = openSqlite(path);
    const { store } = open;
    const { commit: first } = await store.append(newCommit(unused('account'), 1));

    const other = lock(path);
    const commits = Array.from({ length: 10 }, () => newCommit(unused('account'), 1, { holds: [unused('name')] }));
    const order: string[] = [];
    const outcomes = Promise.all(commits.map((commit) => outcomeOf(store.append(commit)))).finally(() =>
      order.push('refused'),
    );
    expect(await readStream(store, first.stream)).toStrictEqual([first]);
    expect(await store.findCommand(commits[0]!.command.id)).toBeUndefined();
    order.push('read');
    expect(tally(await outcomes)).toEqual({ StoreUnavailable: 10 });
    expect(order).toEqual(['read', 'refused']);
    expect((await readFeeds(open, [first])).flat()).toStrictEqual([first]);

    other.exec('ROLLBACK');
    const again = await Promise.all(commits.map((commit) => store.append(commit)));
    expect(tally(again.map(({ outcome }) => outcome))).toEqual({ appended: 10 });
    expect((await readFeeds(open, [])).flat()).toStrictEqual([first, ...again.map(({ commit }) => commit)]);
  });

  it('says which file cannot be written and why', async () => {
    const path = join(temporaryFolder(), 'events.db');
    const { store } = openSqlite(path);
    lock(path);
    const error = await refusal(store.append(newCommit(unused('account'), 1)), StoreUnavailable);
    expect(error.message).toBe(`cannot write to ${path}: database is locked`);
    expect(error.retryAfterSeconds).toBe(5);
  });

  it('takes an append that waited when the lock ends in time', async () => {
    const path = join(temporaryFolder(), 'events.db');
    const { store } = openSqlite(path);
    const other = lock(path);
    const append = outcomeOf(store.append(newCommit(unused('account'), 1)));
    other.exec('ROLLBACK');
    expect(await append).toBe('appended');
  });
});

describe('a closed store', () => {
  it('refuses to append and to read', async () => {
    const { store, counter } = openSqlite();
    await store.append(newCommit('account-1', 1));
    await store.close();
    await refusal(store.append(newCommit('account-1', 2)), StoreUnavailable);
    await expect(counter.take('accounts', 1, 1)).rejects.toThrow(StoreUnavailable);
    await expect(readStream(store, 'account-1')).rejects.toThrow(StoreUnavailable);
    await expect(store.readFeed(0, 0, 10)).rejects.toThrow(StoreUnavailable);
  });

  it('can be closed again, also while it is closing', async () => {
    const { store } = openSqlite();
    const append = outcomeOf(store.append(newCommit('account-1', 1)));
    await Promise.all([store.close(), store.close()]);
    await store.close();
    expect(await append).toBe('appended');
  });
});

/** Another connection that keeps the write lock until it rolls back, or until the test is over. */
function lock(path: string): DatabaseSync {
  const other = new DatabaseSync(path);
  onTestFinished(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  return other;
}
