import { absentAccount } from '@keyfold/domain';
import { SqliteEventStore } from '@keyfold/event-store/sqlite';
import { describe, expect, it, vi } from 'vitest';
import { disabled, registered, renamed } from '../../../domain/testing/account.events.js';
import { sessionStarted } from '../../../domain/testing/session.events.js';
import { keyAdded } from '../../../domain/testing/ssh-key-ring.events.js';
import { EmbeddedProjections } from '../../testing/embedded-projections.js';
import { UnfoldableStream } from './fold.js';
import { StreamLoader } from './stream-loader.js';
import { accountStream, sessionStream, sshKeyRingStream, sshKeyUseStream } from './stream-ref.js';

const account = accountStream(7);
const unknownEvent = { type: 'AccountArchived', v: 1, data: {} };

describe('loading', () => {
  it('returns the initial state of a nonexistent stream', async () => {
    const loader = new EmbeddedProjections().newLoader();
    for (const _ of [1, 2]) expect(await loader.load(account)).toEqual([{ state: absentAccount, version: 0 }]);
  });

  it('folds what any process has appended since', async () => {
    const projections = new EmbeddedProjections();
    const loader = projections.newLoader();
    await loader.load(account);
    await projections.append(account, registered('ann'));
    expect(await loader.load(account)).toMatchObject([{ state: { username: 'ann' }, version: 1 }]);
    await projections.append(account, renamed('ann', 'anna'), disabled);
    expect(await loader.load(account)).toMatchObject([{ state: { username: 'anna', disabled: true }, version: 2 }]);
    expect(await loader.load(account)).toMatchObject([{ state: { username: 'anna', disabled: true }, version: 2 }]);
  });

  it('queries only new commits', async () => {
    const projections = new EmbeddedProjections();
    const store = new SqliteEventStore(projections.events);
    const reads = vi.spyOn(store, 'readStreams');
    const loader = new StreamLoader(store, projections.readModels);
    await projections.append(account, registered('ann'));
    await loader.load(account);
    await projections.append(account, disabled);
    await loader.load(account);
    await loader.load(account);
    expect(reads.mock.calls.map(([[point]]) => point?.version)).toEqual([0, 1, 2]);
  });

  it('returns the states of several streams in the order of the arguments', async () => {
    const projections = new EmbeddedProjections();
    const [ring, use, session] = [sshKeyRingStream(7), sshKeyUseStream(7), sessionStream('b3f1c7d2', 7)];
    await projections.append(account, registered('ann'));
    await projections.append(ring, keyAdded(1, 'laptop'));
    await projections.append(ring, keyAdded(2, 'phone'));
    await projections.append(session, sessionStarted());
    const loader = projections.newLoader();
    for (const _ of ['cold', 'warm']) {
      expect(await loader.load(session, account, use, ring)).toMatchObject([
        { state: { status: 'active' }, version: 1 },
        { state: { username: 'ann' }, version: 1 },
        { state: { lastUsed: {} }, version: 0 },
        { state: { keys: [{ title: 'laptop' }, { title: 'phone' }] }, version: 2 },
      ]);
    }
  });

  it('returns the latest state to concurrent callers', async () => {
    const projections = new EmbeddedProjections();
    await projections.append(account, registered('ann'));
    const loader = projections.newLoader();
    const before = Array.from({ length: 10 }, () => loader.load(account));
    await projections.append(account, disabled);
    const after = Array.from({ length: 10 }, () => loader.load(account));
    await Promise.all(before);
    for (const [loaded] of await Promise.all(after))
      expect(loaded).toMatchObject({ state: { disabled: true }, version: 2 });
  });
});

describe('the document of a stream', () => {
  it('is the starting point of a process that has not loaded the stream yet', async () => {
    const projections = new EmbeddedProjections();
    await projections.append(account, registered('ann'));
    await projections.append(account, disabled);
    // A document that differs from the fold shows that the fold did not begin at the first commit.
    await projections.readModels.put(account, {
      state: { ...absentAccount, username: 'from the document' },
      version: 1,
    });
    expect(await projections.newLoader().load(account)).toEqual([
      { state: { ...absentAccount, username: 'from the document', disabled: true }, version: 2 },
    ]);
  });

  it('may be any number of commits behind', async () => {
    const projections = new EmbeddedProjections();
    await projections.append(account, registered('ann'));
    await projections.newProjection().project(account);
    for (let count = 0; count < 5; count++) await projections.append(account, renamed('ann', `ann ${count}`));
    expect(await projections.newLoader().load(account)).toMatchObject([{ state: { username: 'ann 4' }, version: 6 }]);
  });
});

describe('a stream that cannot be folded', () => {
  it('is refused with its name and the commit until it can be read', async () => {
    const projections = new EmbeddedProjections();
    await projections.append(account, registered('ann'));
    await projections.append(account, unknownEvent);
    const loader = projections.newLoader();
    for (const _ of [1, 2]) {
      const failure = await loader.load(account).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(UnfoldableStream);
      expect(failure).toMatchObject({ stream: 'account-7', version: 2 });
      expect((failure as Error).message).toContain('AccountArchived, version 1');
    }
  });

  it('does not affect other streams', async () => {
    const projections = new EmbeddedProjections();
    await projections.append(account, unknownEvent);
    await projections.append(accountStream(8), registered('bea', { accountId: 8 }));
    const loader = projections.newLoader();
    await expect(loader.load(account, accountStream(8))).rejects.toBeInstanceOf(UnfoldableStream);
    expect(await loader.load(accountStream(8))).toMatchObject([{ state: { username: 'bea' } }]);
  });
});
