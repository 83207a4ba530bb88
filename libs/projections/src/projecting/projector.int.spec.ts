import { StoreUnavailable } from '@keyfold/event-store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../../../test/support/eventually.js';
import { registered, renamed } from '../../../domain/testing/account.events.js';
import { sessionStarted } from '../../../domain/testing/session.events.js';
import { keyAdded, publicKey } from '../../../domain/testing/ssh-key-ring.events.js';
import { EmbeddedProjections } from '../../testing/embedded-projections.js';
import { MongoProjections } from '../../testing/mongo-projections.js';
import type { Loaded } from '../loading/fold.js';
import { accountStream, sessionStream, sshKeyRingStream, streamRef, type StreamRef } from '../loading/stream-ref.js';
import { accounts } from '../read-model.js';
import { keyOwnerOf } from './key-owners.js';
import { projectorName, type Projector } from './projector.js';

const account = accountStream(7);
const unknownEvent = { type: 'AccountArchived', v: 1, data: {} };
const positionOf = async ({ leases }: EmbeddedProjections) => (await leases.progress(projectorName))[0]?.position;
const documentOf = async ({ readModels }: EmbeddedProjections, ref: StreamRef<unknown> = account) =>
  (await readModels.get([ref])).get(ref.stream);

/** Lets documents be written, or fails as a full disk does. */
function fullDisk({ readModels }: EmbeddedProjections) {
  const put = readModels.put.bind(readModels);
  const disk = { full: true };
  readModels.put = async <State>(ref: StreamRef<State>, document: Loaded<State>) => {
    if (disk.full) throw new StoreUnavailable('the disk is full');
    return put(ref, document);
  };
  return disk;
}

describe('catching up', () => {
  it('projects commits that a crash left unprojected', async () => {
    const projections = new EmbeddedProjections();
    await projections.append(account, registered('ann'));
    await projections.newProjector().catchUp();
    // The process dies here: it has stored two more commits and projected neither.
    await projections.append(account, renamed('ann', 'anna'));
    await projections.append(accountStream(8), registered('bea', { accountId: 8 }));
    await projections.newProjector().catchUp();
    const names = (await projections.readModels.list(accounts, 0, 10)).items.map(({ username }) => username);
    expect(names).toEqual(['anna', 'bea']);
    expect(await documentOf(projections)).toMatchObject({ version: 2 });
  });

  it('handles more than one batch', async () => {
    const projections = new EmbeddedProjections();
    const refs = Array.from({ length: 1_001 }, (_, index) => sessionStream(`s${index}`, 7));
    await Promise.all(refs.map((ref) => projections.append(ref, sessionStarted())));
    await projections.newProjector().catchUp();
    expect(await positionOf(projections)).toBe(1_001);
    expect((await projections.readModels.get(refs)).size).toBe(1_001);
  });

  it('skips streams without a read model', async () => {
    const projections = new EmbeddedProjections();
    await projections.append({ stream: 'void-0', partition: 'void-0' }, { type: 'Void', v: 1, data: {} });
    await projections.append(account, registered('ann'));
    await projections.newProjector().catchUp();
    expect(await positionOf(projections)).toBe(2);
    expect(await documentOf(projections)).toMatchObject({ version: 1 });
  });

  it('parks a stream that cannot be folded, goes on with the rest, and indexes its key when it can be read', async () => {
    const projections = new EmbeddedProjections();
    const { events, readModels } = projections;
    const owners = (seed: string) => readModels.keyOwners(keyOwnerOf(0, publicKey(seed)).prefixes[0], 0, 10);
    await projections.append(sshKeyRingStream(8), { ...keyAdded(1, 'newer'), v: 99 });
    await projections.append(sshKeyRingStream(9), keyAdded(1, 'laptop'));
    const projector = projections.newProjector();
    await projector.catchUp();
    expect(await positionOf(projections)).toBe(2);
    expect([await owners('newer'), await owners('laptop')]).toEqual([[], [9]]);
    expect((await readModels.parked()).map(({ stream }) => stream)).toEqual(['ssh-keys-8']);
    expect(await documentOf(projections, sshKeyRingStream(9))).toMatchObject({ version: 1 });
    const readable = `UPDATE commits SET events = replace(events, '"v":99', '"v":1') WHERE stream = ?`;
    await events.writeAll([{ sql: readable, params: [sshKeyRingStream(8).stream] }]);
    await projections.newProjection().retryParked(streamRef);
    expect(await readModels.parked()).toEqual([]);
    expect(await owners('newer')).toEqual([8]);
  });

  it('does not move past a failed write of the index of SSH keys, which other streams do not wait for', async () => {
    const projections = new EmbeddedProjections();
    const { readModels } = projections;
    const add = readModels.addKeyOwners.bind(readModels);
    readModels.addKeyOwners = async () => {
      throw new StoreUnavailable('the disk is full');
    };
    const refs = Array.from({ length: 20 }, (_, index) => sshKeyRingStream(index + 1));
    for (const ref of refs) await projections.append(ref, keyAdded(1, 'laptop'));
    const projector = projections.newProjector();
    await expect(projector.catchUp()).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await positionOf(projections)).toBe(0);
    expect((await readModels.get(refs)).size).toBe(refs.length);
    readModels.addKeyOwners = add;
    await projector.catchUp();
    expect(await positionOf(projections)).toBe(refs.length);
  });

  it('does not move past a failed write', async () => {
    const projections = new EmbeddedProjections();
    const disk = fullDisk(projections);
    await projections.append(account, registered('ann'));
    const projector = projections.newProjector();
    await expect(projector.catchUp()).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await positionOf(projections)).toBe(0);
    disk.full = false;
    await projector.catchUp();
    expect(await positionOf(projections)).toBe(1);
    expect(await documentOf(projections)).toMatchObject({ version: 1 });
  });
});

describe('a running projector', () => {
  function start(projector: Projector) {
    projector.start();
    onTestFinished(() => projector.stop());
  }
  it('follows the feed until it is stopped', async () => {
    const projections = new EmbeddedProjections();
    const projector = projections.newProjector();
    start(projector);
    await projections.append(account, registered('ann'));
    await eventually(async () => expect(await documentOf(projections)).toMatchObject({ version: 1 }));
    await projector.stop();
    await projections.append(account, renamed('ann', 'anna'));
    await projector.catchUp();
    expect(await documentOf(projections)).toMatchObject({ version: 1 });
  });

  it('reports a failure and retries', async () => {
    const projections = new EmbeddedProjections();
    const disk = fullDisk(projections);
    await projections.append(account, registered('ann'));
    start(projections.newProjector());
    await eventually(async () => expect(projections.errors[0]).toBeInstanceOf(StoreUnavailable));
    disk.full = false;
    await eventually(async () => expect(await documentOf(projections)).toMatchObject({ version: 1 }));
  });

  it('retries parked streams first', async () => {
    const projections = new EmbeddedProjections();
    await projections.append(account, registered('ann'));
    await projections.readModels.park({ stream: 'account-7', partition: '7', version: 1, error: 'unknown', at: 1 });
    start(projections.newProjector());
    await eventually(async () => expect(await projections.readModels.parked()).toEqual([]));
  });
});

it('a running projector holds the partitions of its slots', async () => {
  const projections = await MongoProjections.open();
  const projectors = [1, 2].map(() => projections.newProjector());
  for (const projector of projectors) projector.start();
  const partitions = Array.from({ length: 256 }, (_, index) => String(index));
  await eventually(async () => {
    const slots = projectors.map((projector) =>
      partitions
        .filter((partition) => projector.holds(partition))
        .map((partition) => projections.store.slotOf(partition)),
    );
    const owners = (await projections.leases.progress(projectorName)).map(({ owner }) => owner);
    expect(slots.map((held) => new Set(held.map((slot) => owners[slot])).size)).toEqual([1, 1]);
    expect(slots.flat()).toHaveLength(partitions.length);
  });
});

describe('the lag of a projector', () => {
  const nothing = { pendingCommits: 0, oldestPendingAt: undefined, parkedStreams: 0 };

  it('contains the pending commits of its slots, the time of the oldest, and the parked streams', async () => {
    const projections = new EmbeddedProjections();
    await projections.append(accountStream(8), unknownEvent);
    await projections.append(account, registered('ann'));
    const projector = projections.newProjector();
    await projector.catchUp();
    expect(await projector.lag()).toEqual({ ...nothing, parkedStreams: 1 });
    const unread = await projections.append(account, renamed('ann', 'anna'));
    await projections.append(account, renamed('anna', 'ann'));
    expect(await projector.lag()).toEqual({ pendingCommits: 2, oldestPendingAt: unread.at, parkedStreams: 1 });
    await projector.catchUp();
    expect(await projector.lag()).toEqual({ ...nothing, parkedStreams: 1 });
  });

  it('excludes slots of other processes', async () => {
    const projections = new EmbeddedProjections();
    await projections.append(accountStream(8), unknownEvent);
    await projections.newProjector().catchUp();
    await projections.append(account, registered('ann'));
    expect(await projections.newProjector().lag()).toEqual(nothing);
  });
});
