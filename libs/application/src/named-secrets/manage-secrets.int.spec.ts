import { beforeEach, describe, expect, it } from 'vitest';
import { changeAccount, registerAccount, registerAccounts } from '../../testing/accounts.js';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { createAccessToken, createAppPassword, revokeSecret, type NewSecret } from '../../testing/named-secrets.js';
import { ListAnySecretsHandler, ListAnySecretsQuery } from './manage-secrets.js';
import { accessTokenKind, appPasswordKind, type SecretKind } from './secret-kinds.js';

let service: EmbeddedService;

beforeEach(async () => {
  service = new EmbeddedService();
  await registerAccounts(service, { 7: 'ann', 8: 'bea', 9: 'cid' });
});

async function listOf<Details>(kind: SecretKind<Details>, offset = 0, limit = 1_000, accountId?: number) {
  const { readModels, loader, activity, clock } = service;
  const handler = new ListAnySecretsHandler(readModels, loader, activity, clock);
  const { items, total } = await handler.execute(new ListAnySecretsQuery(kind, offset, limit, accountId));
  return { owners: items.map(({ username, secrets }) => [username, ...secrets.map(({ name }) => name)]), total };
}

describeKind(accessTokenKind, createAccessToken);
describeKind(appPasswordKind, createAppPassword);

function describeKind<Details>(
  kind: SecretKind<Details>,
  create: (service: EmbeddedService, accountId: number, name: string) => Promise<NewSecret>,
) {
  const list = (...page: number[]) => listOf(kind, ...page);

  describe(`the list of all secrets of the kind ${kind.name}`, () => {
    it('contains the accounts that have some, by id', async () => {
      await create(service, 9, 'last');
      await create(service, 7, 'first');
      await create(service, 7, 'second');
      expect(await list()).toEqual({
        owners: [
          ['ann', 'first', 'second'],
          ['cid', 'last'],
        ],
        total: 2,
      });
      expect(await list(1, 1)).toEqual({ owners: [['cid', 'last']], total: 2 });
      expect(await list(0, 1_000, 9)).toEqual({ owners: [['cid', 'last']], total: 1 });
      expect(await list(1, 1_000, 9)).toEqual({ owners: [], total: 1 });
      expect(await list(0, 1_000, 8)).toEqual({ owners: [], total: 0 });
    });

    it('drops an account with its last secret', async () => {
      const { id } = await create(service, 7, 'only');
      await create(service, 8, 'other');
      await revokeSecret(service, kind, 7, id);
      expect(await list()).toEqual({ owners: [['bea', 'other']], total: 1 });
    });

    it('leaves deleted accounts out and still counts them', async () => {
      await create(service, 7, 'gone');
      await create(service, 8, 'other');
      await changeAccount(service, 7, { type: 'DeleteAccount' });
      expect(await list()).toEqual({ owners: [['bea', 'other']], total: 2 });
      expect(await list(0, 1_000, 7)).toEqual({ owners: [], total: 0 });
    });
  });
}

it('a page ends early when it is full, but not before its first account', async () => {
  for (let account = 100; account < 130; account++) {
    await registerAccount(service, account, `account ${account}`);
    for (let n = 0; n < 100; n++) await createAccessToken(service, account, `${n}`.padEnd(600));
  }
  const { owners, total } = await listOf(accessTokenKind);
  expect(total).toBe(30);
  // 100 secrets count with 1,000 bytes each, so that 20 accounts take about 2 MiB.
  expect(owners).toHaveLength(20);
  expect((await listOf(accessTokenKind, 20)).owners).toHaveLength(10);
});
