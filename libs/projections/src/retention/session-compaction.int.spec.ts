import { voidStreamOf, type Commit } from '@keyfold/event-store';
import { beforeEach, describe, expect, it } from 'vitest';
import { disabled } from '../../../domain/testing/account.events.js';
import { EmbeddedProjections } from '../../testing/embedded-projections.js';
import { MongoProjections } from '../../testing/mongo-projections.js';
import { DAY, MIRROR, NOW, SessionHistory, TURNS } from '../../testing/session-history.js';
import { rebuildAll, type Backend } from '../../testing/verified.js';
import { StreamLoader } from '../loading/stream-loader.js';
import { accountStream, sessionStream } from '../loading/stream-ref.js';
import { projectorName } from '../projecting/projector.js';
import { sessions } from '../read-model.js';

const backends: readonly (readonly [string, () => Promise<Backend>])[] = [
  ['SQLite', async () => new EmbeddedProjections()],
  ['MongoDB', () => MongoProjections.open()],
];

describe.each(backends)('the compaction of sessions on %s', (_, open) => {
  let history: SessionHistory;
  let backend: Backend;
  beforeEach(async () => {
    backend = await open();
    history = new SessionHistory(backend);
    await history.register(7, 300);
  });

  const slot = () => backend.store.slotOf('7');
  const commitsOf = (id: string): Promise<Commit[]> =>
    backend.store.readStreams([{ stream: sessionStream(id, 7).stream, version: 0 }]);
  const voidsOf = (id: string): Promise<Commit[]> =>
    backend.store.readStreams([{ stream: voidStreamOf(sessionStream(id, 7).stream), version: 0 }]);
  const documents = async () => (await backend.readModels.documents(sessions, '', 100)).map(({ stream }) => stream);

  it('compacts sessions whose tokens expired long ago, logged out or not, and no others', async () => {
    await history.logIn('expired', 7, 93);
    await history.logIn('logged-out', 7, 93);
    await history.logOut('logged-out', 7, 92.5);
    await history.logIn('long-lived', 7, 93, 5);
    await history.logIn('not-yet', 7, 91);
    await history.logOut('not-yet', 7, 90.5);
    await history.logIn('active', 7, 1);
    await history.project();

    expect(await history.compact()).toEqual({ sessions: 2, commits: 3, waiting: 0 });
    for (const id of ['expired', 'logged-out']) expect(await commitsOf(id)).toEqual([]);
    expect((await voidsOf('logged-out')).map(({ version }) => version)).toEqual([1, 2]);
    for (const id of ['long-lived', 'not-yet', 'active']) expect(await commitsOf(id)).not.toEqual([]);
    expect(await documents()).toEqual(['session-active', 'session-long-lived', 'session-not-yet']);
    expect(await history.problems()).toEqual([]);
    expect(await history.compact()).toEqual({ sessions: 0, commits: 0, waiting: 0 });
  });

  it('a compacted session looks as if it never existed, even where it was cached as active', async () => {
    await history.logIn('expired', 7, 93);
    await history.project();
    const cached = new StreamLoader(backend.store, backend.readModels);
    const ref = sessionStream('expired', 7);
    const [before] = await cached.load(ref);
    await history.compact();
    const [after] = await new StreamLoader(backend.store, backend.readModels).load(ref);
    expect(after).toEqual({ state: sessions.aggregate.decider.initialState, version: 0 });
    expect(await cached.load(ref)).toEqual([before]);
    expect(before.state.expiresAt * 1_000).toBeLessThan(NOW);
  });

  it('a rebuild and a new projector lead to the same documents', async () => {
    for (const id of ['one', 'two', 'three']) await history.logIn(id, 7, 93);
    await history.logIn('active', 7, 1);
    await history.project();
    await history.compact();
    expect((await rebuildAll(backend)).removed).toBe(0);
    expect(await documents()).toEqual(['session-active']);
    await backend.readModels.remove(sessionStream('active', 7), 1);
    await rebuildAll(backend);
    expect(await documents()).toEqual(['session-active']);
    expect(await history.problems()).toEqual([]);
  });

  it('commits that the projector has not read are kept', async () => {
    await history.logIn('expired', 7, 93);
    expect(await history.compact()).toEqual({ sessions: 0, commits: 0, waiting: 1 });
    await history.project();
    await history.logIn('late', 7, 93);
    expect(await history.compact()).toEqual({ sessions: 1, commits: 1, waiting: 1 });
    expect(await commitsOf('late')).toHaveLength(1);
  });

  it('commits that the relay has not read are kept, unless there never was a relay', async () => {
    await history.logIn('sent', 7, 93);
    const { position } = await history.logIn('unsent', 7, 93);
    await history.project();
    await history.relayed(slot(), position - 1);
    expect(await history.compact()).toEqual({ sessions: 1, commits: 1, waiting: 1 });
    expect(await commitsOf('unsent')).toHaveLength(1);
    await history.relayed(slot(), position);
    expect(await history.compact()).toEqual({ sessions: 1, commits: 1, waiting: 0 });
  });

  it('commits of accounts parked in the relay are kept, whatever its checkpoint', async () => {
    const { position } = await history.logIn('sent', 7, 93);
    await history.logIn('waits', 7, 93);
    await history.project();
    await history.relayed(slot(), position + 1);
    history.parked.push({ partition: '7', position: position + 1 });
    expect(await history.compact()).toEqual({ sessions: 1, commits: 1, waiting: 1 });
    history.parked.pop();
    expect(await history.compact()).toMatchObject({ sessions: 1, waiting: 0 });
  });

  it('commits that a reader of another version has not read are kept', async () => {
    await history.logIn('expired', 7, 93);
    await history.project();
    const leases = await backend.leases.take(`${projectorName},next_1`, 'other', [slot()], 60_000);
    expect(await history.compact()).toMatchObject({ sessions: 0, waiting: 1 });
    await backend.leases.release(leases);
    expect(await history.compact()).toMatchObject({ sessions: 1, waiting: 0 });
  });

  it('commits that have not been carried to OpenList, which knows no sessions, are not kept for that', async () => {
    await history.logIn('expired', 7, 93);
    await history.project();
    for (const name of [MIRROR, TURNS]) await backend.leases.take(name, 'other', [slot()], 60_000);
    expect(await history.compact()).toMatchObject({ sessions: 1, waiting: 0 });
  });

  it("a clock ahead of the store's does not make sessions old", async () => {
    await history.logIn('expired', 7, 93);
    await history.logIn('active', 7, 1);
    await history.project();
    const { parts } = history;
    expect(await history.compact({ ...parts, now: () => NOW + 365 * DAY })).toMatchObject({ sessions: 1, waiting: 0 });
    expect(await documents()).toEqual(['session-active']);
  });

  it('commits from a clock that was ahead block nothing', async () => {
    await history.logIn('future', 7, -365);
    await history.append(accountStream(7), -365, disabled);
    await history.logIn('expired', 7, 93);
    await history.project();
    expect(await history.compact()).toEqual({ sessions: 1, commits: 1, waiting: 0 });
    expect(await documents()).toEqual(['session-future']);
  });

  it('a session that cannot be folded is kept and blocks nothing', async () => {
    await history.append(sessionStream('strange', 7), 93, { type: 'SessionFrozen', v: 1, data: {} });
    await history.logIn('expired', 7, 93);
    await history.project();
    expect(await history.compact()).toEqual({ sessions: 1, commits: 1, waiting: 0 });
    expect(await commitsOf('strange')).toHaveLength(1);
  });

  it('a crash between commits and documents is invisible, and the next pass completes the work', async () => {
    for (const id of ['one', 'two']) await history.logIn(id, 7, 93);
    await history.project();
    const { parts } = history;
    const dying = Object.create(parts.readModels, {
      remove: { value: () => Promise.reject(new Error('killed')) },
      get: { value: parts.readModels.get.bind(parts.readModels) },
    }) as typeof parts.readModels;
    await expect(history.compact({ ...parts, readModels: dying })).rejects.toThrow('killed');
    expect(await documents()).toEqual(['session-one', 'session-two']);
    expect(await voidsOf('one')).toHaveLength(1);
    expect(await history.problems()).toEqual([]);
    expect(await history.compact()).toEqual({ sessions: 0, commits: 0, waiting: 0 });
    expect(await documents()).toEqual([]);
  });

  it('concurrent verification finds no problem', async () => {
    for (let index = 0; index < 300; index++) {
      await history.logIn(`session ${index}`, 7, 93);
      if (index % 2) await history.logOut(`session ${index}`, 7, 92);
    }
    await history.project();
    const found: string[] = [];
    let compacting = true;
    const verifying = (async () => {
      while (compacting) found.push(...(await history.problems()));
    })();
    await history.compact(undefined, 7);
    compacting = false;
    await verifying;
    expect(found).toEqual([]);
    expect(await documents()).toEqual([]);
  });
});
