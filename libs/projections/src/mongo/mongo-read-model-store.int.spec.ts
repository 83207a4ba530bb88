import { StoreUnavailable } from '@keyfold/event-store';
import { migrateSchema, requireSchema } from '@keyfold/event-store/mongo';
import { describe, expect, it, onTestFinished } from 'vitest';
import { joinReadModels, openReadModels } from '../../testing/open-read-models.js';
import { active, describeReadModelStore } from '../../testing/read-model-store.contract.js';
import { accountStream, sshKeyRingStream } from '../loading/stream-ref.js';
import { accounts } from '../read-model.js';
import { projectionModels } from './read-model.model.js';

describeReadModelStore('MongoDB', async () => {
  const { uri, store } = await openReadModels();
  return { store, reopen: async () => (await joinReadModels(uri)).store };
});

describe('the first document of a stream', () => {
  it('ends at the latest version if several processes write it at once', async () => {
    const { uri, store } = await openReadModels();
    const stores = [store, (await joinReadModels(uri)).store, (await joinReadModels(uri)).store];
    for (let id = 1; id <= 100; id++) {
      const puts = stores.map((each, index) =>
        each.put(accountStream(id), { state: active(id, `v${index + 1}`), version: index + 1 }),
      );
      await Promise.all(puts);
      expect((await store.get([accountStream(id)])).get(`account-${id}`)?.version).toBe(3);
    }
    expect(await store.list(accounts, 99, 10)).toEqual({ items: [active(100, 'v3')], total: 100 });
  });
});

describe('writes that share a round trip', () => {
  it('fail separately', async () => {
    const { connection, store } = await openReadModels();
    const validate = (validator: object) => connection.db!.command({ collMod: 'accounts_2', validator });
    await validate({ _id: { $ne: 'account-2' } });
    onTestFinished(async () => void (await validate({})));
    const put = (id: number, name?: string) => store.put(accountStream(id), { state: active(id, name), version: 1 });
    const tooLarge = 'x'.repeat(16 * 1024 * 1024);
    const outcomes = await Promise.allSettled([put(1), put(2), put(3, tooLarge), put(4)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: { message: 'Document failed validation' } });
    expect(outcomes[2]).toMatchObject({ reason: { name: 'RangeError' } });
    expect((await store.list(accounts, 0, 10)).items).toEqual([active(1), active(4)]);
  });
});

describe('a large state', () => {
  const wake = (keys: number, bytes: number) => ({
    keys: Array.from({ length: keys }, (_, id) => ({ id, title: `key ${id}`, blob: 'A'.repeat(bytes) })),
    keysEver: keys,
    bytes: keys * bytes,
  });

  it('is stored with up to a thousand keys of maximum size', async () => {
    const { store } = await openReadModels();
    const state = wake(1_000, 16 * 1024) as never;
    await store.put(sshKeyRingStream(7), { state, version: 1_000 });
    const found = await store.get([sshKeyRingStream(7)]);
    expect(JSON.stringify(found.get('ssh-keys-7')?.state) === JSON.stringify(state)).toBe(true);
  });

  it("is refused, with its size, if it exceeds MongoDB's limit", async () => {
    const { store } = await openReadModels();
    const put = store.put(sshKeyRingStream(7), { state: wake(1_100, 16 * 1024) as never, version: 1 });
    await expect(put).rejects.toThrow('the state of ssh-keys-7 takes 18065323 bytes, MongoDB stores at most 16773120');
  });
});

describe('the schema', () => {
  it('passes the check at startup, which refuses a list without its index', async () => {
    const { connection } = await openReadModels();
    const models = projectionModels(connection);
    await requireSchema(connection, models);
    await connection.collection('accounts_2').dropIndex('place');
    await expect(requireSchema(connection, models)).rejects.toThrow('index place of accounts_2 is missing');
    await migrateSchema(connection, models);
    await requireSchema(connection, projectionModels(connection));
  });
});

describe('a store whose connection is closed', () => {
  it('is unavailable', async () => {
    const { connection, store } = await openReadModels();
    await store.list(accounts, 0, 1);
    await store.close();
    await connection.close();
    const attempts = [
      store.get([accountStream(7)]),
      store.put(accountStream(7), { state: active(7), version: 1 }),
      store.list(accounts, 0, 1),
      store.documents(accounts, '', 1),
      store.parked(),
    ];
    for (const outcome of await Promise.allSettled(attempts)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) });
    }
  });
});
