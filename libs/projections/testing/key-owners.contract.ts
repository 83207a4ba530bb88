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
    for (const form of [fingerprint, md5]) expect(await store.keyOwners(form, 0, 10)).toEqual([7, 12]);
    expect(await store.keyOwners(ownerOf('b', 8).md5, 0, 10)).toEqual([8]);
  });

  it('has as many accounts as asked for, the lowest id first, and none for an unknown key or the beginning of a fingerprint', async () => {
    const store = await newStore();
    await store.addKeyOwners([20, 3, 100, 1].map((accountId) => ownerOf('a', accountId)));
    const { fingerprint, md5 } = ownerOf('a', 1);
    for (const form of [fingerprint, md5]) {
      expect(await store.keyOwners(form, 0, 3)).toEqual([1, 3, 20]);
      expect(await store.keyOwners(form, 3, 3)).toEqual([20, 100]);
      expect(await store.keyOwners(form, 100, 3)).toEqual([]);
      expect(await store.keyOwners(form.slice(0, -1), 0, 10)).toEqual([]);
    }
    expect(await store.keyOwners(ownerOf('b', 1).fingerprint, 0, 10)).toEqual([]);
  });

  it('has an entry once, however often it is added, and takes new ones beside it', async () => {
    const store = await newStore();
    await store.addKeyOwners([]);
    for (let time = 0; time < 3; time++) await store.addKeyOwners([ownerOf('a', 7), ownerOf('a', 7 + time)]);
    await Promise.all([9, 10, 9, 10].map((accountId) => store.addKeyOwners([ownerOf('a', accountId)])));
    expect(await store.keyOwners(ownerOf('a', 7).fingerprint, 0, 10)).toEqual([7, 8, 9, 10]);
  });

  it('tells which entries it lacks', async () => {
    const store = await newStore();
    await store.addKeyOwners([ownerOf('a', 7)]);
    const lacking = [ownerOf('a', 8), ownerOf('b', 7), { ...ownerOf('a', 7), md5: 'MD5:00' }];
    expect(await store.missingKeyOwners([ownerOf('a', 7), ...lacking])).toEqual(lacking);
  });
}
