import { SqliteFeedLeases } from '@keyfold/event-store/sqlite';
import { KeyOwnerSearch, md5FingerprintOf, sshKeyRingStream } from '@keyfold/projections';
import { describe, expect, it } from 'vitest';
import { publicKey } from '../../../domain/testing/ssh-key-ring.events.js';
import { addSshKey, changeAccount, registerAccount, registerAccounts, updateAccount } from '../../testing/accounts.js';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { MINUTE } from '../../testing/settable-clock.js';
import { FindSshKeyHandler, FindSshKeyQuery } from './find-key-owners.js';

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

  addShared(accountId: number, title: string, expiresAt?: number) {
    return addSshKey(this.service, accountId, title, { key: shared, expiresAt });
  }

  find(fingerprint = shared.fingerprint, after = 0) {
    return this.#handler.execute(new FindSshKeyQuery(fingerprint, after));
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
      basePath: '/',
      permission: 0,
      disabled: false,
      keyId: 7 * 2 ** 20 + 1,
      title: 'laptop',
      expiresAt,
      expired: false,
    };
    for (const form of [shared.fingerprint, md5FingerprintOf(shared.blob)])
      expect(await search.find(form)).toEqual({ owners: [ann], next: undefined });
    search.service.clock.advance(MINUTE);
    expect((await search.find()).owners).toEqual([{ ...ann, expired: true }]);
    expect(await search.find(publicKey('another').fingerprint)).toEqual({ owners: [], next: undefined });
  });

  it('are those who have it now, under their present names', async () => {
    const search = new KeySearch();
    const { service } = search;
    await registerAccounts(service, { 7: 'ann', 8: 'bea', 9: 'cat', 10: 'dan' });
    for (const id of [7, 8, 9, 10]) await search.addShared(id, 'shared');
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

  it('are at most a hundred in an answer, which says where the next begin', async () => {
    const search = new KeySearch();
    for (let id = 1; id <= 101; id++) {
      await registerAccount(search.service, id, `user ${id}`);
      await search.addShared(id, 'laptop');
      if (id === 100) expect(await search.find()).toMatchObject({ owners: { length: 100 }, next: undefined });
    }
    expect(await search.find()).toMatchObject({ owners: { length: 100 }, next: 100 });
    expect(await search.find(shared.fingerprint, 100)).toMatchObject({ owners: [{ accountId: 101 }], next: undefined });
  });

  it('are found part by part if their rings are large', async () => {
    const search = new KeySearch();
    const { service } = search;
    for (let id = 1; id <= 12; id++) {
      await registerAccount(service, id, `user ${id}`);
      for (let n = 0; n < 60; n++) {
        const key = { ...publicKey(`${id} ${n}`), comment: 'c'.repeat(15_000) };
        await addSshKey(service, id, `${n}`, { key });
      }
      await search.addShared(id, 'shared');
    }
    const parts: number[][] = [];
    for (let next: number | undefined = 0; next !== undefined;) {
      const part = await search.find(shared.fingerprint, next);
      parts.push(part.owners.map(({ accountId }) => accountId));
      ({ next } = part);
    }
    expect(parts.flat()).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
    expect(parts.length).toBeGreaterThan(1);
  });
});
