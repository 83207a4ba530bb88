import { expect, it } from 'vitest';
import { publicKey } from '../../domain/testing/ssh-key-ring.events.js';
import type { KeyOwner } from '../src/key-owners/key-owner.js';
import { md5FingerprintOf } from '../src/key-owners/md5-fingerprint.js';
import type { ReadModelStore } from '../src/read-model-store.js';

/** The entry of an account with the key of this seed. */
export function ownerOf(seed: string, accountId: number): KeyOwner {
  const { fingerprint, blob } = publicKey(seed);
  return { fingerprint, md5: md5FingerprintOf(blob), accountId };
}

/** The cases for the index of SSH keys. */
export function keyOwnersCases(newStore: () => Promise<ReadModelStore>): void {
  it('has the accounts of a key under both fingerprints', async () => {
    const store = await newStore();
    await store.addKeyOwners([ownerOf('a', 7), ownerOf('b', 8), ownerOf('a', 12)]);
    const { fingerprint, md5 } = ownerOf('a', 7);
    for (const form of [fingerprint, md5]) expect(new Set(await store.keyOwners(form, 10))).toEqual(new Set([7, 12]));
    expect(await store.keyOwners(ownerOf('b', 8).md5, 10)).toEqual([8]);
  });

  it('has no more accounts than asked for, and none for an unknown key or the beginning of a fingerprint', async () => {
    const store = await newStore();
    await store.addKeyOwners([1, 2, 3].map((accountId) => ownerOf('a', accountId)));
    const { fingerprint, md5 } = ownerOf('a', 1);
    for (const form of [fingerprint, md5]) {
      expect(await store.keyOwners(form, 2)).toHaveLength(2);
      expect(await store.keyOwners(form.slice(0, -1), 10)).toEqual([]);
    }
    expect(await store.keyOwners(ownerOf('b', 1).fingerprint, 10)).toEqual([]);
  });

  it('has an entry once, however often it is added, and takes new ones beside it', async () => {
    const store = await newStore();
    await store.addKeyOwners([]);
    for (let time = 0; time < 3; time++) await store.addKeyOwners([ownerOf('a', 7), ownerOf('a', 7 + time)]);
    await Promise.all([9, 10, 9, 10].map((accountId) => store.addKeyOwners([ownerOf('a', accountId)])));
    expect((await store.keyOwners(ownerOf('a', 7).fingerprint, 10)).toSorted((a, b) => a - b)).toEqual([7, 8, 9, 10]);
  });

  it('tells which entries it lacks', async () => {
    const store = await newStore();
    await store.addKeyOwners([ownerOf('a', 7)]);
    const lacking = [ownerOf('a', 8), ownerOf('b', 7), { ...ownerOf('a', 7), md5: 'MD5:00' }];
    expect(await store.missingKeyOwners([ownerOf('a', 7), ...lacking])).toEqual(lacking);
  });
}
