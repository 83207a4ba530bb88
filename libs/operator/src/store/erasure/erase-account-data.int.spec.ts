import { voidStreamOf } from '@keyfold/event-store';
import { accountStream, readModels } from '@keyfold/projections';
import { describe, expect, it, vi } from 'vitest';
import { operatorStores, type OperatorScene } from '../../../testing/operator-scene.js';
import { eraseAccountData } from './erase-account-data.js';

const { signal } = new AbortController();

/** Registers and deletes an account with one of everything. Returns its sessions. */
async function deletedAccount(scene: OperatorScene, accountId: number, username: string): Promise<string[]> {
  await scene.register(accountId, username);
  await scene.addSshKey(accountId, 'laptop');
  await scene.addAccessToken(accountId, 'script');
  await scene.addAppPassword(accountId, 'phone');
  const sessions = [await scene.startSession(accountId), await scene.startSession(accountId)];
  await scene.ports.tokenUses.record({ token: sessions[0]!, at: 1, until: 9_999_999_999 });
  await scene.change(accountId, { type: 'DeleteAccount' });
  await scene.project();
  return sessions;
}

describe.each(operatorStores)('the erasure of an account on %s', (_, open) => {
  it('leaves void commits at the same positions, and nothing else', async () => {
    const scene = await open();
    const { ports } = scene;
    const sessions = await deletedAccount(scene, 7, 'ann');
    await scene.register(8, 'bob');
    await scene.project();
    const heads = await ports.feed.readHeads();
    const removeFormer = vi.spyOn(ports.readModels, 'removeFormer');
    expect(await eraseAccountData(ports, 7, signal)).toEqual({ streams: 6, commits: 7, documents: 6 });
    expect(await eraseAccountData(ports, 7, signal)).toEqual({ streams: 0, commits: 0, documents: 0 });

    expect(removeFormer.mock.calls.flatMap(([refs]) => refs)).toContainEqual(accountStream(7));
    expect(await ports.feed.readHeads()).toEqual(heads);
    expect(await ports.history.readHistory({ partition: '7' }, 10)).toEqual([]);
    const left = await ports.store.readStreams([{ stream: voidStreamOf('account-7'), version: 0 }]);
    expect(left.map(({ events, holds }) => ({ events, holds }))).toEqual([{ events: [] }, { events: [] }]);
    for (const model of readModels)
      for (const { stream } of await ports.readModels.documents(model, '', 100)) expect(stream).toMatch(/-8$/);
    expect(await ports.tokenUses.lastUses(sessions)).toEqual(new Map());
    expect((await scene.run({ command: 'verify', args: {} })).out.at(-1)).toMatch(/: no problems$/);
  });
});
