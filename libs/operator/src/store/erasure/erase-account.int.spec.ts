import { relayName } from '@keyfold/messaging';
import { readersBehind } from '@keyfold/wiring';
import { describe, expect, it } from 'vitest';
import { operatorStores, type OperatorScene } from '../../../testing/operator-scene.js';

const erase = (scene: OperatorScene, id = 7) => scene.run({ command: 'account erase', args: { id, json: true } });
const erasures = async (scene: OperatorScene) =>
  (await scene.run({ command: 'account erasures', args: { json: true } })).out.map(
    (line) => JSON.parse(line) as object,
  );

async function withDeleted(scene: OperatorScene): Promise<void> {
  await scene.register(7, 'ann');
  await scene.startSession(7);
  await scene.change(7, { type: 'DeleteAccount' });
}

/** Moves the relay to the end of the feed, or to its beginning. */
async function relayAt(scene: OperatorScene, place: 'beginning' | 'end'): Promise<void> {
  const { leases } = readersBehind(scene.ports).relay;
  const heads = await scene.ports.feed.readHeads();
  for (const lease of await leases.take(relayName, 'test', [...heads.keys()], 60_000))
    if (place === 'end' && heads.get(lease.slot)! > 0) await leases.advance(lease, heads.get(lease.slot)!);
}

describe.each(operatorStores)('keyfold account erase on %s', (_, open) => {
  it('refuses an account that is not deleted or never existed', async () => {
    const scene = await open();
    await scene.register(7, 'ann');
    await scene.project();
    expect((await erase(scene)).err).toEqual([
      'account 7 is not deleted. Run "keyfold account delete ann" first. Nothing was changed',
    ]);
    expect((await erase(scene, 8)).err).toEqual(['no account ever had the id 8. Nothing was changed']);
    expect(await erasures(scene)).toEqual([]);
  });

  it('changes nothing while a reader of the feed has not passed the commits, and names it', async () => {
    const scene = await open();
    await withDeleted(scene);
    await scene.project();
    await relayAt(scene, 'beginning');
    const { status, err } = await erase(scene);
    expect([status, err[0]]).toEqual([1, expect.stringContaining(`of account 7: ${relayName}. Run the command again`)]);
    expect(await erasures(scene)).toEqual([]);
    expect(await scene.ports.history.readHistory({ partition: '7' }, 10)).toHaveLength(3);
  });

  it('waits until the account is deleted in OpenList, once accounts were carried there, also while nothing runs', async () => {
    const scene = await open();
    await withDeleted(scene);
    await scene.project();
    const { mirror } = readersBehind(scene.ports);
    const { leases, feed, parkedMirrors } = scene.ports;
    const slot = feed.slotOf('7');
    const head = (await feed.readHeads()).get(slot)!;
    const outcome = async () => {
      const { status, err } = await erase(scene);
      return [status, err[0]];
    };
    /** Moves the reader to a position, then ends its process. */
    const carryUpTo = async (position: number) => {
      const [lease] = await leases.take(mirror.name, 'test', [slot], 60_000);
      await leases.advance(lease!, position);
      await leases.release([lease!]);
    };
    await carryUpTo(head - 1);
    expect(await leases.readers()).not.toContain(mirror.name);
    const refusal = [
      1,
      expect.stringContaining(`of account 7: ${mirror.name}. The reader openlist deletes its user in OpenList: start`),
    ];
    expect(await outcome()).toEqual(refusal);
    const record = { slot, partition: '7', position: head, error: 'the name is taken', at: 1, epoch: 1 };
    await parkedMirrors.park(record);
    await carryUpTo(head);
    expect(await outcome()).toEqual(refusal);
    expect(await erasures(scene)).toEqual([]);
    await parkedMirrors.unpark(record);
    expect((await erase(scene)).status).toBe(0);
  });

  it('reports what it removed and what still holds the account, and its repetition does no harm', async () => {
    const scene = await open();
    await withDeleted(scene);
    await scene.record({ type: 'RecordBackup', folder: '/backup', host: 'one', madeAt: 0 });
    await scene.project();
    await relayAt(scene, 'end');
    const [report] = (await erase(scene)).out.map((line) => JSON.parse(line) as { erased: string });
    const { erased } = report!;
    expect(report).toEqual({
      id: 7,
      erased,
      streams: 2,
      commits: 3,
      documents: 2,
      backups: [{ folder: '/backup', host: 'one', since: '1970-01-01T00:00:00.000Z' }],
      eventLogUntil: new Date(Date.parse(erased) + 90 * 86_400_000).toISOString(),
    });
    expect((await erase(scene)).out.map((line) => JSON.parse(line) as object)).toMatchObject([
      { erased, streams: 0, commits: 0, documents: 0 },
    ]);
    expect(await erasures(scene)).toEqual([{ id: 7, erased }]);
    const shown = await scene.run({ command: 'events show', args: { stream: 'account-7', json: false } });
    expect(shown.err).toEqual(['account-7 was erased']);
    expect(shown.out.join('\n')).not.toMatch(/ann|username/);
    const history = await scene.run({ command: 'account history', args: { id: 7, json: false } });
    expect(history.err).toEqual(['account 7 was erased']);
  });

  it('is finished by the next run if it was interrupted', async () => {
    const scene = await open();
    await withDeleted(scene);
    await scene.project();
    const { compaction } = scene.ports;
    Object.assign(scene.ports, { compaction: { erase: () => Promise.reject(new Error('killed')) } });
    expect((await erase(scene)).err[0]).toContain('killed');
    Object.assign(scene.ports, { compaction });
    expect(await erasures(scene)).toMatchObject([{ id: 7 }]);
    expect((await erase(scene)).out.map((line) => JSON.parse(line) as object)).toMatchObject([{ commits: 3 }]);
    await scene.project();
    expect((await scene.run({ command: 'verify', args: {} })).out.at(-1)).toMatch(/: no problems$/);
  });
});
