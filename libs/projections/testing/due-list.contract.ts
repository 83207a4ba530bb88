import type { SshKeyRing } from '@keyfold/domain';
import { expect, it } from 'vitest';
import { keyAdded } from '../../domain/testing/ssh-key-ring.events.js';
import type { DueStream, ReadModelStore } from '../src/read-model-store.js';
import { sshKeyRings } from '../src/read-model.js';
import { sshKeyRingStream } from '../src/stream-ref.js';

/** The state of a ring with a key that expires at this time; without a time, it never expires. */
const ringUntil = (expiresAt?: number): SshKeyRing => ({
  keys: [{ ...keyAdded(1, 'laptop').data, ...(expiresAt !== undefined && { expiresAt }) }],
  keysEver: 1,
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
