import { SqliteFeedLeases } from '@keyfold/event-store/sqlite';
import { KeyOwnerSearch, md5FingerprintOf, sshKeyRingStream } from '@keyfold/projections';
import { describe, expect, it } from 'vitest';
import { publicKey } from '../../../domain/testing/ssh-key-ring.events.js';
import { changeAccount, registerAccount, updateAccount } from '../../testing/accounts.js';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { MINUTE } from '../../testing/settable-clock.js';
import { FindSshKeyHandler, FindSshKeyQuery } from './find-ssh-key.js';

const shared = publicKey('shared');
const context = { actor: 'test', correlation: 'test' };

/** A service that finds keys. */
class KeySearch {
  readonly service = new EmbeddedService();
  readonly #handler: FindSshKeyHandler;

  constructor() {
    const { folder, readModels, loader, clock } = this.service;
    const search = new KeyOwnerSearch(folder.store, new SqliteFeedLeases(folder.views), readModels);
    this.#handler = new FindSshKeyHandler(search, loader, clock);
  }

  async addShared(accountId: number, title: string, expiresAt?: number): Promise<void> {
    const now = this.service.clock.now();
    const command = { type: 'AddSshKey', accountId, title, key: shared, expiresAt, now } as const;
    await this.service.runner.run(sshKeyRingStream(accountId), command, context);
  }

  find(fingerprint = shared.fingerprint) {
    return this.#handler.execute(new FindSshKeyQuery(fingerprint));
  }

  async names(fingerprint?: string): Promise<string[]> {
    return (await this.find(fingerprint)).owners.map(({ username }) => username).toSorted();
  }
}

describe('the owners of a key', () => {
  it('are found by both fingerprints, with the key in their ring', async () => {
    const search = new KeySearch();
    await registerAccount(search.service, 7, 'ann');
    const expiresAt = search.service.clock.now() + MINUTE;
    await search.addShared(7, 'laptop', expiresAt);
    const ann = {
      accountId: 7,
      username: 'ann',
      disabled: false,
      keyId: 7 * 2 ** 20 + 1,
      title: 'laptop',
      expiresAt,
      expired: false,
    };
    for (const form of [shared.fingerprint, md5FingerprintOf(shared.blob)])
      expect(await search.find(form)).toEqual({ owners: [ann], more: false });
    search.service.clock.advance(MINUTE);
    expect((await search.find()).owners).toEqual([{ ...ann, expired: true }]);
    expect(await search.find(publicKey('another').fingerprint)).toEqual({ owners: [], more: false });
  });

  it('are those who have it now, under their present names', async () => {
    const search = new KeySearch();
    const { service } = search;
    for (const [id, name] of [
      [7, 'ann'],
      [8, 'bea'],
      [9, 'cat'],
      [10, 'dan'],
    ] as const) {
      await registerAccount(service, id, name);
      await search.addShared(id, `key of ${name}`);
    }
    await updateAccount(service, 7, { username: 'anna' });
    await updateAccount(service, 8, { disabled: true });
    await changeAccount(service, 9, { type: 'DeleteAccount' });
    const remove = { type: 'RemoveSshKey', keyId: 10 * 2 ** 20 + 1 } as const;
    await service.runner.run(sshKeyRingStream(10), remove, context);
    expect(await search.names()).toEqual(['anna', 'bea']);
    expect((await search.find()).owners.map(({ disabled }) => disabled)).toEqual([false, true]);
    await search.addShared(10, 'again');
    expect(await search.names()).toEqual(['anna', 'bea', 'dan']);
  });

  it('are at most a hundred, and the answer says that there are more', { timeout: 60_000 }, async () => {
    const search = new KeySearch();
    for (let id = 1; id <= 101; id++) {
      await registerAccount(search.service, id, `user ${id}`);
      await search.addShared(id, 'laptop');
      if (id >= 100) expect(await search.find()).toMatchObject({ owners: { length: 100 }, more: id > 100 });
    }
  });
});
