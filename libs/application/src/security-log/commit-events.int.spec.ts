import { ROLE_ADMIN, ROLE_GUEST, type AccountCommand } from '@keyfold/domain';
import { accessTokensStream, accountStream, siteSettingsStream } from '@keyfold/projections';
import { beforeEach, describe, expect, it } from 'vitest';
import { registerAccount, updateAccount } from '../../testing/accounts.js';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { createAccessToken, createAppPassword, revokeSecret } from '../../testing/named-secrets.js';
import { LoginClient } from '../../testing/login-client.js';
import { appPasswordKind } from '../named-secrets/secret-kinds.js';

let service: EmbeddedService;
beforeEach(() => {
  service = new EmbeddedService();
});

const origin = { correlation: 'request-9', address: '192.0.2.7' };
const change = (command: AccountCommand, actor = 'session:1') =>
  service.runner.run(accountStream(7), command, { actor, ...origin });
const names = () => service.reported.map(({ name, about = [] }) => `${name}:${about.join(',')}`);

describe('the security log records', () => {
  it('who created an administrator, the guest and other accounts', async () => {
    await registerAccount(service, 1, 'admin', { role: ROLE_ADMIN });
    await registerAccount(service, 2, 'guest', { role: ROLE_GUEST });
    await registerAccount(service, 7, 'ann');
    await registerAccount(service, 8, 'bea', { role: 5 });
    const made = ['1,admin', '2,guest', '7,general', '8,5'];
    expect(names()).toEqual(made.map((each) => `user_created:test,${each}`));
  });

  it('the origin, the actor and the account of a change', async () => {
    await registerAccount(service, 7, 'ann');
    await change({ type: 'DeleteAccount' });
    expect(service.reported.at(-1)).toEqual({
      name: 'user_deleted',
      about: ['1', 7],
      account: 7,
      outcome: 'changed',
      fields: { actor: 'session:1' },
      origin: expect.objectContaining(origin) as unknown,
    });
  });

  it('changes of passwords, permissions and disabled accounts, and no name, password or hash', async () => {
    await registerAccount(service, 7, 'ann');
    await updateAccount(service, 7, { password: 's3cret', disabled: true, permission: 3 });
    await updateAccount(service, 7, { disabled: false, username: 'anna' });
    expect(names().slice(1)).toEqual([
      'authn_password_change:7',
      'privilege_permissions_changed:test,7,3',
      'user_updated:test,7,disabled',
      'user_updated:test,7,enabled',
    ]);
    expect(JSON.stringify(service.reported)).not.toMatch(/ann|s3cret|k1\./);
  });

  it('a second factor that is enabled, locked and disabled', async () => {
    await registerAccount(service, 7, 'ann');
    await new LoginClient(service).enableTwoFactor(7);
    await change({ type: 'LockTwoFactor', failures: 100 }, 'login:7');
    await change({ type: 'UnlockTwoFactor' }, 'operator');
    await change({ type: 'DisableTwoFactor' }, 'operator');
    expect(names().slice(1)).toEqual([
      'user_updated:test,7,two_factor_enabled',
      'authn_login_lock:7,maxretries',
      'user_updated:operator,7,two_factor_unlocked',
      'user_updated:operator,7,two_factor_disabled',
    ]);
    expect(service.reported.at(-3)).toMatchObject({ outcome: 'locked', fields: { actor: 'login:7' } });
  });

  it('a new static token', async () => {
    const command = { type: 'ResetStaticToken', sealedToken: 'k1.sealed' } as const;
    const context = { actor: 'first-start', commandId: 'first-start:static-token', ...origin };
    for (const _ of [1, 2]) await service.runner.run(siteSettingsStream, command, context);
    expect(names()).toEqual(['authn_token_created:first-start,static']);
    expect(service.reported[0]).not.toHaveProperty('account');
  });

  it('a new access token or app password and its end, with its id and no name', async () => {
    await registerAccount(service, 7, 'ann');
    const token = await createAccessToken(service, 7, 'backup');
    const byToken = { actor: `access-token:1:${2 ** 20 + 1}`, ...origin };
    await service.runner.run(
      accessTokensStream(7),
      { type: 'RevokeAccessToken', id: token.id, now: service.clock.now() },
      byToken,
    );
    expect(service.reported.at(-1)).toMatchObject({ account: 7, fields: { actor: byToken.actor } });
    const password = await createAppPassword(service, 7, 'phone');
    await revokeSecret(service, appPasswordKind, 7, password.id);
    expect(service.reported.at(-1)).toMatchObject({ account: 7 });
    expect(names().slice(1)).toEqual([
      `authn_token_created:test,access,${token.id}`,
      `authn_token_revoked:1,${token.id}`,
      `authn_token_created:test,app_password,${password.id}`,
      `authn_token_revoked:test,app_password,${password.id}`,
    ]);
    expect(JSON.stringify(service.reported)).not.toMatch(/backup|phone/);
  });

  it('nothing for a command that is refused or changes nothing', async () => {
    await registerAccount(service, 7, 'ann');
    await updateAccount(service, 7, { disabled: false });
    await change({ type: 'DisableTwoFactor' });
    await registerAccount(service, 7, 'other').catch(() => undefined);
    expect(names()).toEqual(['user_created:test,7,general']);
  });
});
