import { type SshKeyRing, sessionDecider, type Session } from '@keyfold/domain';
import { expect, it } from 'vitest';
import { login } from '../../domain/testing/session.events.js';
import { keyAdded } from '../../domain/testing/ssh-key-ring.events.js';
import { sshKeyRingStream, sessionStream } from '../src/loading/stream-ref.js';
import type { DueStream, ReadModelStore } from '../src/read-model-store.js';
import { sshKeyRings, sessions } from '../src/read-model.js';

/** The state of a ring with a key that expires at this time; without a time, it never expires. */
const ringUntil = (expiresAt?: number): SshKeyRing => ({
  keys: [{ ...keyAdded(1, 'laptop').data, ...(expiresAt !== undefined && { expiresAt }) }],
  keysEver: 1,
  bytes: 100,
});

/** The cases for models with something to do at a time. */
export function dueListCases(newStore: () => Promise<ReadModelStore>): void {
  /** Stores the ring of each account with its expiry. */
  async function dueAt(expiries: Readonly<Record<number, number | undefined>>): Promise<ReadModelStore> {
    const store = await newStore();
    for (const [accountId, expiresAt] of Object.entries(expiries)) {
      await store.put(sshKeyRingStream(Number(accountId)), { state: ringUntil(expiresAt), version: 1 });
    }
    return store;
  }
  const due = (accountId: number, at: number): DueStream => {
    const { stream, partition } = sshKeyRingStream(accountId);
    return { stream, partition, at };
  };

  it('has the streams that are due by then, the earliest first', async () => {
    const store = await dueAt({ 1: 300, 2: 100, 3: undefined, 4: 200 });
    expect(await store.listDue(sshKeyRings, 99, 10)).toEqual([]);
    expect(await store.listDue(sshKeyRings, 200, 10)).toEqual([due(2, 100), due(4, 200)]);
    expect(await store.listDue(sshKeyRings, 300, 10)).toEqual([due(2, 100), due(4, 200), due(1, 300)]);
  });

  it('has every stream once if it is read in parts, also if many are due at the same time', async () => {
    const accounts = Array.from({ length: 25 }, (_, index) => index + 1);
    const store = await dueAt(Object.fromEntries(accounts.map((accountId) => [accountId, accountId > 20 ? 200 : 100])));
    const seen: DueStream[] = [];
    for (let last: DueStream | undefined; ;) {
      const part = await store.listDue(sshKeyRings, 200, 4, last);
      seen.push(...part);
      last = part.at(-1);
      if (part.length < 4) break;
    }
    expect(new Set(seen.map(({ stream }) => stream)).size).toBe(25);
    expect(seen).toHaveLength(25);
    expect(seen.map(({ at }) => at)).toEqual(accounts.map((accountId) => (accountId > 20 ? 200 : 100)));
  });

  it('follows the document, and loses it when nothing is due any more', async () => {
    const store = await dueAt({ 1: 100, 2: 200, 3: 300 });
    await store.put(sshKeyRingStream(1), { state: ringUntil(400), version: 2 });
    await store.put(sshKeyRingStream(2), { state: ringUntil(), version: 2 });
    await store.remove(sshKeyRingStream(3), 1);
    expect(await store.listDue(sshKeyRings, 1_000, 10)).toEqual([due(1, 400)]);
    expect((await store.documents(sshKeyRings, '', 10)).map(({ sortKey }) => sortKey)).toEqual([400, null]);
  });
}

/** The state of a session of account 7 that expires at this second. */
const session = (sessionId: string, expiresAt: number, accountId = 7): Session => ({
  status: 'active',
  ...login({ sessionId, expiresAt, accountId }),
});

/** The cases for models whose entries expire. */
export function expiringListCases(newStore: () => Promise<ReadModelStore>): void {
  async function listed(...states: Session[]) {
    const store = await newStore();
    for (const state of states) {
      await store.put(sessionStream(state.sessionId, state.accountId), { state, version: 1 });
    }
    return store;
  }
  const idsOf = async (store: ReadModelStore, after: number, partition?: string, offset = 0, limit = 100) => {
    const unexpired = partition === undefined ? { after } : { after, partition };
    const { items, total } = await store.listUnexpired(sessions, unexpired, offset, limit);
    return { ids: items.map(({ sessionId }) => sessionId).join(' '), total };
  };

  it('has the entry that expires last first, and none that has expired', async () => {
    const store = await listed(session('a', 100), session('c', 300), session('b', 200), session('d', 400, 8));
    expect(await idsOf(store, 0)).toEqual({ ids: 'd c b a', total: 4 });
    expect(await idsOf(store, 100)).toEqual({ ids: 'd c b', total: 3 });
    expect(await idsOf(store, 400)).toEqual({ ids: '', total: 0 });
  });

  it('is also a list of each partition', async () => {
    const store = await listed(session('a', 100), session('b', 200, 70), session('c', 300));
    expect(await idsOf(store, 0, '7')).toEqual({ ids: 'c a', total: 2 });
    expect(await idsOf(store, 100, '7')).toEqual({ ids: 'c', total: 1 });
    expect(await idsOf(store, 0, '70')).toEqual({ ids: 'b', total: 1 });
    expect(await idsOf(store, 0, '8')).toEqual({ ids: '', total: 0 });
  });

  it('loses an entry that ends or is removed', async () => {
    const store = await listed(session('a', 100), session('b', 200), session('c', 300));
    await store.put(sessionStream('b', 7), { state: { ...session('b', 200), status: 'ended' }, version: 2 });
    await store.remove(sessionStream('c', 7), 1);
    expect(await idsOf(store, 0)).toEqual({ ids: 'a', total: 1 });
    expect(await idsOf(store, 0, '7')).toEqual({ ids: 'a', total: 1 });
    expect((await store.documents(sessions, '', 10)).map(({ sortKey }) => sortKey)).toEqual([100, null]);
  });

  it('is read in pages, each entry once, also of entries that expire in the same second', async () => {
    const many = Array.from({ length: 230 }, (_, index) => session(`s${index}`, 100 + Math.floor(index / 120)));
    const store = await listed(...many);
    for (const partition of [undefined, '7']) {
      const all = (await idsOf(store, 0, partition, 0, 1_000)).ids.split(' ');
      expect(new Set(all)).toEqual(new Set(many.map(({ sessionId }) => sessionId)));
      expect(all).toHaveLength(230);
      const pages = [await idsOf(store, 0, partition, 0, 90), await idsOf(store, 0, partition, 90, 140)];
      expect(pages.flatMap(({ ids }) => ids.split(' '))).toEqual(all);
      expect(await idsOf(store, 0, partition, 230, 5)).toEqual({ ids: '', total: 230 });
      expect(await idsOf(store, 0, partition, 0, 0)).toEqual({ ids: '', total: 230 });
    }
  });

  it('never shows a stream without events', async () => {
    const store = await listed(session('a', 100));
    await store.put(sessionStream('b', 7), { state: sessionDecider.initialState, version: 1 });
    expect(await idsOf(store, 0)).toEqual({ ids: 'a', total: 1 });
  });
}
