import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { casesForThreads, describeEventStore, type OpenStore } from '../../testing/event-store.contract.js';
import { newCommit, unused } from '../../testing/new-commit.js';
import { openSqlite, temporaryFolder } from '../../testing/open-sqlite.js';
import { openInTwoThreads } from '../../testing/open-two-threads.js';
import { appendOne, asStored, outcomeOf, readStream, refusal, tally, readFeeds } from '../../testing/outcome.js';
import { StoreUnavailable } from '../event-store.errors.js';
import { eventStoreSchema, SqliteEventStore } from './sqlite-event-store.js';
import { SqliteFile } from './sqlite-file.js';

const folder = mkdtempSync(join(tmpdir(), 'keyfold-'));
afterAll(() => rmSync(folder, { recursive: true }));
describeEventStore('SQLite', async () => openSqlite(join(folder, 'events.db')));
describeEventStore('SQLite in two threads', async () => openInTwoThreads(join(folder, 'threads.db')), casesForThreads);

describe('a file that another program has locked', () => {
  it('refuses appends after two seconds, stays readable, and accepts the same commits once it is free', async () => {
    const { path, open } = openNew();
    const { store } = open;
    const first = await appendOne(store, newCommit(unused('account'), 1));

    const other = lock(path);
    const commits = Array.from({ length: 10 }, () => newCommit(unused('account'), 1, { holds: [unused('name')] }));
    const [order, began]: [string[], number] = [[], performance.now()];
    const refusals = Promise.all(commits.map((commit) => refusal(store.append(commit), StoreUnavailable)));
    const refused = refusals.then((errors) => {
      order.push('refused');
      return errors.map(({ message }) => message);
    });
    expect(await readStream(store, first.stream)).toStrictEqual([first]);
    expect(await store.findCommand(commits[0]!.command.id)).toBeUndefined();
    order.push('read');
    expect(new Set(await refused)).toEqual(new Set([`cannot write to ${path}: database is locked`]));
    expect(order).toEqual(['read', 'refused']);
    expect(performance.now() - began).toBeGreaterThan(1_900);
    expect(store.appends.failures).toBe(10);
    expect((await readFeeds(open, [first])).flat()).toStrictEqual([first]);

    other.exec('ROLLBACK');
    const again = await Promise.all(commits.map((commit) => store.append(commit)));
    expect(tally(again.map(({ outcome }) => outcome))).toEqual({ appended: 10 });
    expect((await readFeeds(open, [])).flat()).toStrictEqual([first, ...again.map(({ commit }) => asStored(commit))]);
  });
});

it('knows without a query that a stream is current after an append of the same thread', async () => {
  const file = new SqliteFile(join(temporaryFolder(), 'events.db'), eventStoreSchema);
  onTestFinished(() => file.close());
  const store = new SqliteEventStore(file);
  const read = vi.spyOn(file, 'read');
  await Promise.all(['account-1', 'account-2'].map((stream) => store.append(newCommit(stream, 1))));
  await store.append(newCommit('account-1', 2));
  expect(
    store.isCurrent([
      { stream: 'account-1', version: 2 },
      { stream: 'account-2', version: 1 },
    ]),
  ).toBe(true);
  expect(read).not.toHaveBeenCalled();
});

it('sees the commit that another writer of its connection puts into the transaction of an append', async () => {
  const { store, intake } = openNew().open;
  const point = { stream: 'account-2', version: 0 };
  await store.readStreams([point]);
  await Promise.all([
    store.append(newCommit('account-0', 1)),
    // These wait for the first one and share a transaction.
    store.append(newCommit('account-1', 1)),
    intake.takeOver(0, [{ ...newCommit(point.stream, 1), position: 3 }]),
  ]);
  expect(store.isCurrent([point])).toBe(false);
});

describe('a closed store', () => {
  it('refuses to append and to read', async () => {
    const { store, counter } = openNew().open;
    await store.append(newCommit('account-1', 1));
    await store.close();
    await refusal(store.append(newCommit('account-1', 2)), StoreUnavailable);
    await expect(counter.take('accounts', 1, 1)).rejects.toThrow(StoreUnavailable);
    await expect(readStream(store, 'account-1')).rejects.toThrow(StoreUnavailable);
    await expect(store.readFeed(0, 0, 10)).rejects.toThrow(StoreUnavailable);
  });

  it('can be closed twice, even at the same time', async () => {
    const { store } = openNew().open;
    const append = outcomeOf(store.append(newCommit('account-1', 1)));
    await Promise.all([store.close(), store.close()]);
    await store.close();
    expect(await append).toBe('appended');
  });
});

/** A store of its own for one test. */
function openNew(): { path: string; open: OpenStore } {
  const path = join(temporaryFolder(), 'events.db');
  const open = openSqlite(path);
  onTestFinished(() => open.close());
  return { path, open };
}

/** Another connection that keeps the write lock until it rolls back, or until the test is over. */
function lock(path: string): DatabaseSync {
  const other = new DatabaseSync(path);
  onTestFinished(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  return other;
}
