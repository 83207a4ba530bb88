import { collectionOf } from '@keyfold/event-store/mongo';
import { describe, expect, it } from 'vitest';
import { keyAdded, keyRemoved, publicKey } from '../../../domain/testing/ssh-key-ring.events.js';
import { EmbeddedProjections } from '../../testing/embedded-projections.js';
import { MongoProjections } from '../../testing/mongo-projections.js';
import { sshKeyRingStream } from '../loading/stream-ref.js';
import { KeyIndexBehind, KeyOwnerSearch } from './key-owner-search.js';
import { md5FingerprintOf } from './key-owners.js';

const shared = publicKey('shared');
const added = (title = 'laptop') => keyAdded(1, title, shared);

describe.each([
  ['SQLite', () => new EmbeddedProjections()],
  ['MongoDB', () => MongoProjections.open()],
] as const)('on %s, the candidates for a key', (_store, open) => {
  it('include accounts from the index and from commits that the projector has not read', async () => {
    const projections = await open();
    const { store, leases, readModels } = projections;
    const search = new KeyOwnerSearch(store, leases, readModels);
    const found = (fingerprint: string, after = 0, limit = 10) => search.candidates(fingerprint, after, limit);
    await projections.append(sshKeyRingStream(7), added());
    expect(await found(shared.fingerprint)).toEqual([7]);
    await projections.newProjector().catchUp();
    for (const accountId of [8, 9, 71]) await projections.append(sshKeyRingStream(accountId), added());
    await projections.append(sshKeyRingStream(10), keyAdded(1, 'another'));
    expect(await found(shared.fingerprint)).toEqual([7, 8, 9, 71]);
    expect(await found(md5FingerprintOf(shared.blob))).toEqual([7, 8, 9, 71]);
    expect(await found(shared.fingerprint, 0, 2)).toEqual([7, 8]);
    expect(await found(shared.fingerprint, 8, 2)).toEqual([9, 71]);
    await projections.append(sshKeyRingStream(7), keyRemoved(1, shared));
    await projections.newProjector().catchUp();
    expect(await found(shared.fingerprint)).toEqual([7, 8, 9, 71]);
  });

  it('are refused while the index lacks too many commits', async () => {
    const projections = await open();
    const { store, leases, readModels } = projections;
    const search = new KeyOwnerSearch(store, leases, readModels, 2);
    for (const accountId of [7, 8]) await projections.append(sshKeyRingStream(accountId), added());
    expect(await search.candidates(shared.fingerprint, 0, 10)).toHaveLength(2);
    await projections.append(sshKeyRingStream(9), added());
    await expect(search.candidates(shared.fingerprint, 0, 10)).rejects.toBeInstanceOf(KeyIndexBehind);
    await projections.newProjector().catchUp();
    expect(await search.candidates(shared.fingerprint, 0, 10)).toHaveLength(3);
  });
});

it('a search finds a key behind holes of the feed', async () => {
  const projections = await MongoProjections.open();
  const { connection, store, leases, readModels } = projections;
  const commits = collectionOf(connection, 'commits');
  await projections.append(sshKeyRingStream(7), keyAdded(1, 'first'));
  for (const n of [2, 3]) await projections.append(sshKeyRingStream(7), keyAdded(n, `lost ${n}`));
  await projections.append(sshKeyRingStream(7), keyAdded(4, 'laptop', shared));
  expect((await commits.deleteMany({ partition: '7', version: { $in: [2, 3] } })).deletedCount).toBe(2);
  const search = new KeyOwnerSearch(store, leases, readModels);
  expect(await search.candidates(shared.fingerprint, 0, 10)).toEqual([7]);
});

it('a search reads every page of the commits behind the index', async () => {
  const projections = new EmbeddedProjections();
  const { store, leases, readModels } = projections;
  for (let n = 1; n <= 1_201; n++) await projections.append(sshKeyRingStream(n), keyAdded(1, `key ${n % 1_201}`));
  const search = new KeyOwnerSearch(store, leases, readModels);
  const accountOf = async (title: string) => search.candidates(publicKey(title).fingerprint, 0, 10);
  expect(await accountOf('key 1')).toEqual([1]);
  expect(await accountOf('key 600')).toEqual([600]);
  expect(await accountOf('key 0')).toEqual([1_201]);
});
