import { expect, it } from 'vitest';
import { publicKey } from '../../domain/testing/ssh-key-ring.events.js';
import { keyOwnerOf } from '../src/projecting/key-owners.js';
import type { ReadModelStore } from '../src/read-model-store.js';

/** Returns the entry of an account with the key of this seed. */
const ownerOf = (seed: string, accountId: number) => keyOwnerOf(accountId, publicKey(seed));

/** The cases for the index of SSH keys. */
export function keyOwnersCases(newStore: () => Promise<ReadModelStore>): void {
  const [sha256, md5] = ownerOf('a', 1).prefixes;

  it('has the accounts of a key under both prefixes', async () => {
    const store = await newStore();
    await store.addKeyOwners([ownerOf('a', 7), ownerOf('b', 8), ownerOf('a', 12)]);
    for (const prefix of [sha256, md5]) expect(await store.keyOwners(prefix, 0, 10)).toEqual([7, 12]);
    expect(await store.keyOwners(ownerOf('b', 8).prefixes[1], 0, 10)).toEqual([8]);
  });

  it('has as many accounts as asked for, the lowest id first, and none for an unknown prefix', async () => {
    const store = await newStore();
    await store.addKeyOwners([20, 3, 100, 1].map((accountId) => ownerOf('a', accountId)));
    for (const prefix of [sha256, md5]) {
      expect(await store.keyOwners(prefix, 0, 3)).toEqual([1, 3, 20]);
      expect(await store.keyOwners(prefix, 3, 3)).toEqual([20, 100]);
      expect(await store.keyOwners(prefix, 100, 3)).toEqual([]);
    }
    expect(await store.keyOwners(sha256 + 1, 0, 10)).toEqual([]);
  });

  it('has an entry once, however often it is added, and takes new ones beside it', async () => {
    const store = await newStore();
    await store.addKeyOwners([]);
    for (let time = 0; time < 3; time++) await store.addKeyOwners([ownerOf('a', 7), ownerOf('a', 7 + time)]);
    await Promise.all([9, 10, 9, 10].map((accountId) => store.addKeyOwners([ownerOf('a', accountId)])));
    expect(await store.keyOwners(sha256, 0, 10)).toEqual([7, 8, 9, 10]);
  });

  it('accepts the largest account id and the largest prefix', async () => {
    const store = await newStore();
    const largest = { accountId: 2 ** 33 - 1, prefixes: [2 ** 48 - 1, 0] } as const;
    await store.addKeyOwners([largest]);
    for (const prefix of largest.prefixes) expect(await store.keyOwners(prefix, 0, 10)).toEqual([largest.accountId]);
  });

  it('loses the entries that are removed, and no others', async () => {
    const store = await newStore();
    await store.addKeyOwners([ownerOf('a', 7), ownerOf('b', 7), ownerOf('a', 8)]);
    for (const _ of [1, 2]) await store.removeKeyOwners([ownerOf('a', 7), ownerOf('c', 7)]);
    await store.removeKeyOwners([]);
    for (const prefix of [sha256, md5]) expect(await store.keyOwners(prefix, 0, 10)).toEqual([8]);
    expect(await store.keyOwners(ownerOf('b', 7).prefixes[0], 0, 10)).toEqual([7]);
  });

  it('tells which entries it lacks', async () => {
    const store = await newStore();
    await store.addKeyOwners([ownerOf('a', 7)]);
    const lacking = [ownerOf('a', 8), ownerOf('b', 7), { accountId: 7, prefixes: [sha256, md5 + 1] as const }];
    expect(await store.missingKeyOwners([ownerOf('a', 7), ...lacking])).toEqual(lacking);
  });
}
