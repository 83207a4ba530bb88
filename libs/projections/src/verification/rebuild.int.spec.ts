import { absentAccount } from '@keyfold/domain';
import type { StreamPoint } from '@keyfold/event-store';
import { SqliteEventStore } from '@keyfold/event-store/sqlite';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { disabled, registered, renamed } from '../../../domain/testing/account.events.js';
import { keyAdded } from '../../../domain/testing/ssh-key-ring.events.js';
import { EmbeddedProjections } from '../../testing/embedded-projections.js';
import { verify } from '../../testing/verified.js';
import { accountStream, sshKeyRingStream } from '../loading/stream-ref.js';
import { accounts, readModels, type ReadModel } from '../read-model.js';
import { Rebuild } from './rebuild.js';

const account = accountStream(7);

/** An account with two commits and its keys, projected. */
async function projected() {
  const projections = new EmbeddedProjections();
  await projections.append(account, registered('ann'));
  await projections.append(sshKeyRingStream(7), keyAdded(1, 'laptop'), keyAdded(2, 'desk'));
  await projections.append(account, disabled);
  await projections.newProjector().catchUp();
  return projections;
}
const rebuild = (
  { store, readModels: documents }: Pick<EmbeddedProjections, 'store' | 'readModels'>,
  models: readonly ReadModel<unknown>[] = readModels,
  signal = new AbortController().signal,
) => new Rebuild(store, store, documents, models, () => 1_768_478_400_000).run(async () => {}, signal);

const problemsOf = async (projections: EmbeddedProjections) => (await verify(projections)).problems;

function damage({ views }: EmbeddedProjections, sql: string) {
  const database = new DatabaseSync(views.path);
  database.exec(sql);
  database.close();
}

describe('a rebuild', () => {
  it.each([
    ['a document with a wrong state', "UPDATE accounts_2 SET state = '{}'"],
    ['a document that is missing', 'DELETE FROM ssh_key_rings_1'],
    ['a key that the index of SSH keys lacks', 'DELETE FROM ssh_key_owners_1'],
    ['a document that is behind', "UPDATE accounts_2 SET state = '{}', version = 1"],
    ['a document that is ahead of its stream', 'UPDATE accounts_2 SET version = 9'],
    ['a wrong place in a list', 'UPDATE accounts_2 SET place = 9'],
    [
      'a stream that was parked and can be folded',
      "INSERT INTO parked_streams VALUES ('account-7', '7', 1, 'unknown event', 0)",
    ],
  ])('repairs %s', async (_, sql) => {
    const projections = await projected();
    damage(projections, sql);
    expect(await problemsOf(projections)).not.toEqual([]);
    await rebuild(projections);
    expect(await problemsOf(projections)).toEqual([]);
  });

  it('counts what it folded, and changes nothing if all is correct', async () => {
    const projections = await projected();
    for (const _ of [1, 2])
      expect(await rebuild(projections)).toEqual({ events: 4, documents: 2, parked: 0, removed: 0 });
    expect(await problemsOf(projections)).toEqual([]);
  });

  it('removes the document of a nonexistent stream', async () => {
    const projections = await projected();
    const stranger = accountStream(8);
    await projections.readModels.put(stranger, {
      state: { ...absentAccount, status: 'active', accountId: 8 },
      version: 1,
    });
    expect(await rebuild(projections)).toMatchObject({ removed: 1 });
    expect(await problemsOf(projections)).toEqual([]);
  });

  it('of one model does not touch the others', async () => {
    const projections = await projected();
    damage(projections, "UPDATE accounts_2 SET state = '{}'; UPDATE ssh_key_rings_1 SET state = '{}'");
    await rebuild(projections, [accounts]);
    expect(await problemsOf(projections)).toEqual([expect.stringContaining('ssh-keys-7')]);
  });

  it('keeps a document that a writer updated in the meantime', async () => {
    const projections = await projected();
    const { state } = (await projections.readModels.get([account])).get('account-7')!;
    const newer = { state: { ...(state as object), username: 'newer' }, version: 3 };
    const store = new (class extends SqliteEventStore {
      #wrote = false;
      /** The writer comes between the rebuild's look at a stream and its write. */
      override async readStreams(points: readonly StreamPoint[]) {
        const commits = await super.readStreams(points);
        if (this.#wrote) return commits;
        this.#wrote = true;
        await projections.append.call({ store: this } as never, account, renamed('ann', 'newer'));
        await projections.readModels.put(account, newer as never);
        return commits;
      }
    })(projections.events);
    await rebuild({ readModels: projections.readModels, store });
    expect((await projections.readModels.get([account])).get('account-7')).toEqual(newer);
  });

  it('parks a stream that cannot be folded and goes on with the rest', async () => {
    const projections = await projected();
    await projections.append(account, { type: 'AccountArchived', v: 1, data: {} });
    damage(projections, "UPDATE ssh_key_rings_1 SET state = '{}'");
    expect(await rebuild(projections)).toMatchObject({ parked: 1, documents: 1 });
    expect(await projections.readModels.parked()).toMatchObject([{ stream: 'account-7', version: 3 }]);
  });

  it('ends when its signal is aborted', async () => {
    await expect(rebuild(await projected(), readModels, AbortSignal.abort())).rejects.toThrow('aborted');
  });
});
