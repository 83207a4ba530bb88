import { sessionDecider, type Session } from '@keyfold/domain';
import { expect, it } from 'vitest';
import { login } from '../../domain/testing/session.events.js';
import type { ReadModelStore } from '../src/read-model-store.js';
import { sessions } from '../src/read-model.js';
import { sessionStream } from '../src/stream-ref.js';

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

  it('ends a page at the first entry that the reader does not take', async () => {
    const store = await listed(session('a', 100), session('b', 200), session('c', 300));
    const takes = ({ sessionId }: Session) => sessionId !== 'a';
    const { items, total } = await store.listUnexpired(sessions, { after: 0 }, 0, 10, takes);
    expect(items.map(({ sessionId }) => sessionId)).toEqual(['c', 'b']);
    expect(total).toBe(3);
  });

  it('never shows a stream without events', async () => {
    const store = await listed(session('a', 100));
    await store.put(sessionStream('b', 7), { state: sessionDecider.initialState, version: 1 });
    expect(await idsOf(store, 0)).toEqual({ ids: 'a', total: 1 });
  });
}
