import { absentAccount, type Account } from '@keyfold/domain';
import { SqliteFile } from '@keyfold/event-store/sqlite';
import { describe, expect, it } from 'vitest';
import { EmbeddedProjections } from '../../testing/embedded-projections.js';
import { accounts, accountStream, sessionStream, sshKeyRingStream } from '../read-model.js';
import { readModelTables, SqliteCheckpointStore, SqliteReadModelStore } from './sqlite-read-model-store.js';

const newStore = () => new EmbeddedProjections().readModels;
const active = (accountId: number, username = `account ${accountId}`): Account => ({
  ...absentAccount,
  status: 'active',
  accountId,
  username,
});

describe('a document', () => {
  it('comes back as it was put, with its version', async () => {
    const store = newStore();
    const document = { state: active(7, 'ann "б" \u2028'), version: 3 };
    await store.put(accountStream(7), document);
    expect(await store.get([accountStream(7)])).toEqual(new Map([['account-7', document]]));
  });

  it('is replaced by a later version only', async () => {
    const store = newStore();
    for (const [version, name] of [
      [2, 'second'],
      [1, 'first'],
      [2, 'another second'],
      [3, 'third'],
      [2, 'late'],
    ] as const) {
      await store.put(accountStream(7), { state: active(7, name), version });
    }
    expect((await store.get([accountStream(7)])).get('account-7')).toEqual({ state: active(7, 'third'), version: 3 });
    expect((await store.list(accounts, 0, 10)).items).toEqual([active(7, 'third')]);
  });

  it('is found among those of other models, and those that are missing are left out', async () => {
    const store = newStore();
    const [account, ring, session] = [accountStream(7), sshKeyRingStream(7), sessionStream('s1', 7)];
    await store.put(account, { state: active(7), version: 1 });
    await store.put(ring, { state: { keys: [], keysEver: 4 }, version: 9 });
    expect(await store.get([ring, session, account])).toEqual(
      new Map<string, unknown>([
        ['ssh-keys-7', { state: { keys: [], keysEver: 4 }, version: 9 }],
        ['account-7', { state: active(7), version: 1 }],
      ]),
    );
  });
});

describe('a list', () => {
  async function listed(...ids: number[]) {
    const store = newStore();
    for (const id of ids) await store.put(accountStream(id), { state: active(id), version: 1 });
    return store;
  }
  const idsOf = async (store: SqliteReadModelStore, offset: number, limit: number) => {
    const { items, total } = await store.list(accounts, offset, limit);
    return { ids: items.map(({ accountId }) => accountId), total };
  };

  it('has its entries in the order of their places, not of their names or of their writing', async () => {
    const store = await listed(100, 9, 20, 3);
    expect(await idsOf(store, 0, 10)).toEqual({ ids: [3, 9, 20, 100], total: 4 });
  });

  it('is read in pages, and a page behind the end is empty', async () => {
    const store = await listed(1, 2, 3, 4, 5);
    expect(await idsOf(store, 0, 2)).toEqual({ ids: [1, 2], total: 5 });
    expect(await idsOf(store, 4, 2)).toEqual({ ids: [5], total: 5 });
    expect(await idsOf(store, 6, 2)).toEqual({ ids: [], total: 5 });
    expect(await idsOf(store, 0, 0)).toEqual({ ids: [], total: 5 });
    expect(await idsOf(store, 1, Number.MAX_SAFE_INTEGER)).toEqual({ ids: [2, 3, 4, 5], total: 5 });
    expect(await idsOf(store, Number.MAX_SAFE_INTEGER, 2)).toEqual({ ids: [], total: 5 });
  });

  it('loses an entry whose place is gone', async () => {
    const store = await listed(1, 2);
    await store.put(accountStream(1), { state: { ...absentAccount, status: 'deleted', accountId: 1 }, version: 2 });
    expect(await idsOf(store, 0, 10)).toEqual({ ids: [2], total: 1 });
  });
});

describe('parked streams', () => {
  const parked = (stream: string, at: number) => ({ stream, partition: '7', version: 2, error: 'unknown', at });

  it('are listed from the first parked on, and each keeps its first reason', async () => {
    const store = newStore();
    await store.park(parked('account-7', 20));
    await store.park(parked('account-8', 10));
    await store.park({ ...parked('account-7', 30), error: 'again' });
    expect(await store.parked()).toEqual([parked('account-8', 10), parked('account-7', 20)]);
  });

  it('are released one by one, also when they were not parked', async () => {
    const store = newStore();
    await store.park(parked('account-7', 20));
    await store.unpark('account-8');
    expect(await store.parked()).toHaveLength(1);
    await store.unpark('account-7');
    expect(await store.parked()).toEqual([]);
  });
});

describe('a checkpoint', () => {
  it('begins at 0, moves forward only and is kept apart for each reader and slot', async () => {
    const { checkpoints } = new EmbeddedProjections();
    expect(await checkpoints.position('projector', 0)).toBe(0);
    for (const position of [5, 3, 9, 9, 8]) await checkpoints.advance('projector', 0, position);
    await checkpoints.advance('projector', 1, 2);
    await checkpoints.advance('relay', 0, 1);
    expect(await checkpoints.position('projector', 0)).toBe(9);
    expect(await checkpoints.position('projector', 1)).toBe(2);
    expect(await checkpoints.position('relay', 0)).toBe(1);
  });
});

it('documents and checkpoints outlive the process', async () => {
  const { views, readModels, checkpoints } = new EmbeddedProjections();
  await readModels.put(accountStream(7), { state: active(7), version: 1 });
  await checkpoints.advance('projector', 0, 4);
  await readModels.close();
  const reopened = new SqliteFile(views.path, { version: 1, synchronous: 'NORMAL', sql: readModelTables });
  expect((await new SqliteReadModelStore(reopened).list(accounts, 0, 10)).items).toEqual([active(7)]);
  expect(await new SqliteCheckpointStore(reopened).position('projector', 0)).toBe(4);
  await reopened.close();
});
