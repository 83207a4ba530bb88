import { beforeEach, describe, expect, it } from 'vitest';
import { createAppPassword, revokeAppPassword } from '../../testing/app-passwords.js';
import { changeAccount, registerAccount } from '../../testing/accounts.js';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { ListAnyAppPasswordsHandler, ListAnyAppPasswordsQuery } from './manage-app-passwords.js';

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
  const handler = new ListAnyAppPasswordsHandler(readModels, loader, activity, clock);
  const { items, total } = await handler.execute(new ListAnyAppPasswordsQuery(offset, limit, accountId));
  return { holders: items.map(({ username, secrets }) => [username, ...secrets.map(({ name }) => name)]), total };
}

describe('the list of all app passwords', () => {
  it('contains the accounts that have app passwords, by id', async () => {
    await createAppPassword(service, 9, 'last');
    await createAppPassword(service, 7, 'first');
    await createAppPassword(service, 7, 'second');
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

  it('drops an account with its last app password', async () => {
    const { appPasswordId } = await createAppPassword(service, 7, 'only');
    await createAppPassword(service, 8, 'other');
    await revokeAppPassword(service, 7, appPasswordId);
    expect(await list()).toEqual({ holders: [['bea', 'other']], total: 1 });
  });

  it('leaves deleted accounts out and still counts them', async () => {
    await createAppPassword(service, 7, 'gone');
    await createAppPassword(service, 8, 'other');
    await changeAccount(service, 7, { type: 'DeleteAccount' });
    expect(await list()).toEqual({ holders: [['bea', 'other']], total: 2 });
    expect(await list(0, 1_000, 7)).toEqual({ holders: [], total: 0 });
  });
});
