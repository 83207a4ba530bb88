import { beforeEach, describe, expect, it } from 'vitest';
import { createAccessToken, revokeAccessToken } from '../../testing/access-tokens.js';
import { changeAccount, registerAccount } from '../../testing/accounts.js';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { ListAnyAccessTokensHandler, ListAnyAccessTokensQuery } from './manage-access-tokens.js';

let service: EmbeddedService;

beforeEach(async () => {
  service = new EmbeddedService();
  for (const [id, name] of [
    [7, 'ann'],
    [8, 'bea'],
    [9, 'cid'],
  ] as const)
    await registerAccount(service, id, name);
});

async function list(offset = 0, limit = 1_000, accountId?: number) {
  const { readModels, loader, activity, clock } = service;
  const handler = new ListAnyAccessTokensHandler(readModels, loader, activity, clock);
  const { items, total } = await handler.execute(new ListAnyAccessTokensQuery(offset, limit, accountId));
  return { holders: items.map(({ username, secrets }) => [username, ...secrets.map(({ name }) => name)]), total };
}

describe('the list of all access tokens', () => {
  it('contains the accounts that have tokens, by id', async () => {
    await createAccessToken(service, 9, 'last');
    await createAccessToken(service, 7, 'first');
    await createAccessToken(service, 7, 'second');
    expect(await list()).toEqual({
      holders: [
        ['ann', 'first', 'second'],
        ['cid', 'last'],
      ],
      total: 2,
    });
    expect(await list(1, 1)).toEqual({ holders: [['cid', 'last']], total: 2 });
    expect(await list(0, 1_000, 9)).toEqual({ holders: [['cid', 'last']], total: 1 });
    expect(await list(1, 1_000, 9)).toEqual({ holders: [], total: 1 });
    expect(await list(0, 1_000, 8)).toEqual({ holders: [], total: 0 });
  });

  it('drops an account with its last token', async () => {
    const { tokenId } = await createAccessToken(service, 7, 'only');
    await createAccessToken(service, 8, 'other');
    await revokeAccessToken(service, 7, tokenId);
    expect(await list()).toEqual({ holders: [['bea', 'other']], total: 1 });
  });

  it('leaves deleted accounts out and still counts them', async () => {
    await createAccessToken(service, 7, 'gone');
    await createAccessToken(service, 8, 'other');
    await changeAccount(service, 7, { type: 'DeleteAccount' });
    expect(await list()).toEqual({ holders: [['bea', 'other']], total: 2 });
    expect(await list(0, 1_000, 7)).toEqual({ holders: [], total: 0 });
  });

  it('ends a page early when it is full, but not before its first account', async () => {
    for (let account = 100; account < 130; account++) {
      await registerAccount(service, account, `account ${account}`);
      await fill(account);
    }
    const { holders, total } = await list();
    expect(total).toBe(30);
    // 100 tokens count with 1,000 bytes each, so that 20 accounts take about 2 MiB.
    expect(holders).toHaveLength(20);
    expect((await list(20)).holders).toHaveLength(10);
  }, 60_000);

  async function fill(account: number): Promise<void> {
    for (let n = 0; n < 100; n++) await createAccessToken(service, account, `${n}`.padEnd(600));
  }
});
