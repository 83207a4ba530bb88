import { CLOSE_HOLE } from '@keyfold/event-store';
import { accountStream, erasuresStream, sessionStream } from '@keyfold/projections';
import { relayName } from '@keyfold/messaging';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freshDatabaseUri } from '../../../../../test/support/mongo/mongo-database.js';
import { keptCommits, orders, unsentCommits } from '../../../testing/copied-stores.js';
import { OperatorScene, type Ran } from '../../../testing/operator-scene.js';

import { openEmbeddedStore, openSharedStore } from '../../operator-store.js';
import { eraseAccountData } from '../erasure/erase-account-data.js';
import { copyStore, type StoresSettings } from './copy-store.js';

const sealingKeys = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
const options = { sessionDays: 90, sealingKeys };
const mongoOptions = { ...options, prepare: true, leaseMilliseconds: 10_000 };

type Kind = 'sqlite' | 'mongodb';

/** A store of each kind, neither of which exists yet. */
class Stores {
  readonly settings: StoresSettings;

  constructor() {
    const parent = mkdtempSync(join(tmpdir(), 'keyfold-'));
    onTestFinished(() => rmSync(parent, { recursive: true }));
    this.settings = { folder: join(parent, 'data'), mongoUri: freshDatabaseUri(), sealingKeys };
  }

  /** Runs on a store of this kind and closes it. */
  async on<Result>(kind: Kind, run: (scene: OperatorScene) => Promise<Result>): Promise<Result> {
    const { folder, mongoUri } = this.settings;
    if (kind === 'sqlite') mkdirSync(folder, { recursive: true, mode: 0o700 });
    const store =
      kind === 'sqlite'
        ? await openEmbeddedStore({ ...options, folder })
        : await openSharedStore(mongoUri, mongoOptions);
    try {
      return await run(new OperatorScene(store));
    } finally {
      await store.close();
    }
  }

  async copy(target: Kind, finish: boolean, differing: Partial<StoresSettings> = {}): Promise<Ran> {
    const out: string[] = [];
    const err: string[] = [];
    const output = {
      out: async (line: string) => void out.push(line),
      err: async (line: string) => void err.push(line),
    };
    const settings = { ...this.settings, ...differing };
    const status = await copyStore({ target, finish }, { settings, output, signal: new AbortController().signal });
    return { status, out, err };
  }
}

/** Fills a store with accounts, keys and sessions. */
async function fill(scene: OperatorScene, from: number, count: number): Promise<void> {
  for (let id = from; id < from + count; id++) {
    await scene.register(id, `user ${id}`);
    await scene.addSshKey(id, `key ${id}`);
    await scene.startSession(id);
    await scene.change(id, { type: 'DeleteAccount' });
  }
}

/** Moves the relay of a store to its heads, less the commits that `left` names by slot. */
async function relayTo({ ports }: OperatorScene, left: (slot: number, head: number) => number): Promise<void> {
  const heads = await ports.feed.readHeads();
  const leases = await ports.relayLeases.take(relayName, crypto.randomUUID(), [...heads.keys()], 5_000);
  for (const lease of leases) {
    const head = heads.get(lease.slot)!;
    await ports.relayLeases.advance(lease, Math.max(0, head - left(lease.slot, head)));
  }
  await ports.relayLeases.release(leases);
}

const directions: readonly (readonly [Kind, Kind])[] = [
  ['sqlite', 'mongodb'],
  ['mongodb', 'sqlite'],
];

describe.each(directions)('a copy from %s to %s', (source, target) => {
  it('has every commit with the order of its account, and what the relay has not sent', async () => {
    const stores = new Stores();
    const ended = await stores.on(source, async (scene) => {
      await fill(scene, 10, 20);
      const sessions = await Promise.all([1, 2, 3].map((id) => scene.startSession(10 + id)));
      await scene.ports.compaction.compact([sessionStream(sessions[0]!, 11).stream]);
      expect(await stores.copy(target, false)).toMatchObject({ status: 0, err: [] });
      // Copied with its events, and compacted later.
      await scene.ports.compaction.compact([sessionStream(sessions[1]!, 12).stream]);
      await fill(scene, 30, 10);
      expect(await stores.copy(target, false)).toMatchObject({ status: 0, err: [] });
      await fill(scene, 50, 5);
      await scene.ports.counter.take('account', 100, 3);
      await relayTo(scene, (slot, head) => (slot % 3 === 0 ? Math.min(4, head) : 0));
      const parked = await scene.ports.store.readStreams([{ stream: 'account-15', version: 0 }]);
      const { position, partition } = parked[1]!;
      const slot = scene.ports.feed.slotOf(partition);
      await scene.ports.parkedRelays.park({ slot, partition, position, error: 'unknown', at: 1, epoch: 1 });
      return sessions[1]!;
    });
    const finished = await stores.copy(target, true);
    expect(finished, finished.err.join('\n')).toMatchObject({ status: 0, err: [] });

    const original = await stores.on(source, async (scene) => ({
      kept: await keptCommits(scene.ports),
      orders: await orders(scene.ports),
      unsent: await unsentCommits(scene.ports),
      next: (await scene.ports.counter.read()).get('account'),
    }));
    await stores.on(target, async (scene) => {
      await scene.ports.compaction.compact([sessionStream(ended, 12).stream]);
      expect(await keptCommits(scene.ports)).toEqual(original.kept);
      expect(await orders(scene.ports)).toEqual(original.orders);
      expect(await unsentCommits(scene.ports)).toEqual(original.unsent);
      expect(original.unsent!.length).toBeGreaterThan(4);
      expect((await scene.ports.counter.read()).get('account')).toBe(original.next);
      const { readModels } = scene.ports;
      await readModels.remove(sessionStream(ended, 12), 1);
      const verified = await scene.run({ command: 'verify', args: {} });
      expect(verified.out.at(-1)).toMatch(/: no problems$/);
    });
  });

  it('erases an account that was erased after it was copied, and its name can be taken again', async () => {
    const stores = new Stores();
    await stores.on(source, async (scene) => {
      await fill(scene, 10, 2);
      expect(await stores.copy(target, false)).toMatchObject({ status: 0 });
      const runner = await scene.ports.runner();
      const origin = { actor: 'operator', correlation: 'test', commandId: 'erase:10' };
      await runner.run(erasuresStream, { type: 'RecordErasure', accountId: 10, erasedAt: 1 }, origin);
      await eraseAccountData(scene.ports, 10, new AbortController().signal);
      await scene.register(12, 'user 10');
    });
    expect(await stores.copy(target, true)).toMatchObject({ status: 0 });
    const original = await stores.on(source, ({ ports }) => keptCommits(ports));
    await stores.on(target, async (scene) => {
      expect(await keptCommits(scene.ports)).toEqual(original);
      const { state } = (await scene.ports.loader.load(accountStream(12)))[0];
      expect(state).toMatchObject({ username: 'user 10' });
      expect((await scene.run({ command: 'verify', args: {} })).out.at(-1)).toMatch(/: no problems$/);
    });
  });

  it('refuses another source', async () => {
    const stores = new Stores();
    await stores.on(source, (scene) => fill(scene, 10, 2));
    expect(await stores.copy(target, false)).toMatchObject({ status: 0 });
    const other = new Stores();
    await other.on(source, (scene) => fill(scene, 10, 2));
    const [sourceOf, targetOf] =
      source === 'sqlite' ? (['folder', 'mongoUri'] as const) : (['mongoUri', 'folder'] as const);
    const mixed = { [sourceOf]: other.settings[sourceOf], [targetOf]: stores.settings[targetOf] };
    const refused = await stores.copy(target, false, mixed);
    expect(refused).toMatchObject({ status: 1, out: [], err: [expect.stringContaining('a copy of another store')] });
  });
});

it('a target that is in use is refused', async () => {
  const stores = new Stores();
  await stores.on('sqlite', (scene) => fill(scene, 10, 1));
  await stores.on('mongodb', (scene) => fill(scene, 20, 1));
  await expect(stores.copy('mongodb', false)).rejects.toThrow('it contains data already');
  await expect(stores.copy('sqlite', false)).rejects.toThrow('is not empty (keyfold.db)');
  expect(readdirSync(stores.settings.folder)).not.toContain('copy.part');
});

it('the last step is refused while the source is in use', async () => {
  const stores = new Stores();
  await stores.on('sqlite', async (scene) => {
    await fill(scene, 10, 1);
    expect(await stores.copy('mongodb', true)).toMatchObject({
      status: 1,
      err: [expect.stringContaining('Stop the service')],
    });
  });
  rmSync(stores.settings.folder, { recursive: true });
  await stores.on('mongodb', async (scene) => {
    await fill(scene, 10, 1);
    await scene.ports.leases.take('projector', 'a worker', [0], 5_000);
    expect(await stores.copy('sqlite', true)).toMatchObject({
      status: 1,
      err: [expect.stringContaining('a worker is running')],
    });
  });
});

it('closed holes of MongoDB are left out', async () => {
  const stores = new Stores();
  await stores.on('mongodb', async (scene) => {
    await fill(scene, 10, 1);
    const { feed, intake } = scene.ports;
    const slot = feed.slotOf('10');
    const position = (await feed.readHeads()).get(slot)! + 1;
    const hole = {
      stream: `void-${slot}`,
      partition: `void-${slot}`,
      version: position,
      position,
      at: 1,
      actor: 'feed',
    };
    const command = { id: `void:${slot}:${position}`, type: CLOSE_HOLE, hash: '' };
    await intake.takeOver(slot, [{ ...hole, command, correlation: command.id, events: [] }]);
    await fill(scene, 100, 1);
    await relayTo(scene, (each) => (each === slot ? 1 : 0));
  });
  for (const finish of [false, true]) expect(await stores.copy('sqlite', finish)).toMatchObject({ status: 0 });
  const original = await stores.on('mongodb', ({ ports }) => keptCommits(ports));
  expect(await stores.on('sqlite', ({ ports }) => keptCommits(ports))).toEqual(original);
});

it('a session that is compacted between the copies of its commits stays in one slot', async () => {
  const stores = new Stores();
  await stores.on('sqlite', async (scene) => {
    await fill(scene, 10, 1);
    const { stream } = sessionStream(await scene.startSession(10), 10);
    expect(await stores.copy('mongodb', false)).toMatchObject({ status: 0 });
    const { store, compaction } = scene.ports;
    const [first] = await store.readStreams([{ stream, version: 0 }]);
    await store.append({ ...first!, version: 2, command: { ...first!.command, id: 'second' }, holds: [] });
    await compaction.compact([stream]);
  });
  expect(await stores.copy('mongodb', true)).toMatchObject({ status: 0, err: [] });
  await stores.on('mongodb', async (scene) => {
    expect((await scene.run({ command: 'verify', args: {} })).out).toEqual([expect.stringMatching(/: no problems$/)]);
  });
});

it('an account that was sent after a last step that failed is not sent again', async () => {
  const stores = new Stores();
  await stores.on('sqlite', async (scene) => {
    await fill(scene, 10, 1);
    await relayTo(scene, () => 0);
    await scene.ports.parkedRelays.park({ slot: 0, partition: '10', position: 1, error: 'unknown', at: 1, epoch: 1 });
  });
  await expect(stores.copy('mongodb', true, { sealingKeys: 'none' })).rejects.toThrow();
  await stores.on('sqlite', async ({ ports: { parkedRelays } }) => {
    for (const parked of await parkedRelays.all()) await parkedRelays.unpark(parked);
  });
  expect(await stores.copy('mongodb', true)).toMatchObject({ status: 0 });
  expect(await stores.on('mongodb', ({ ports }) => unsentCommits(ports))).toEqual([]);
});
