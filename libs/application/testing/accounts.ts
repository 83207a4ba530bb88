import { type Account, type AccountCommand, type RegisterAccount } from '@keyfold/domain';
import { accountStream } from '@keyfold/projections';
import type { EmbeddedService } from './embedded-service.js';

/** What of a service these functions use. */
type Service<Part extends keyof EmbeddedService> = Pick<EmbeddedService, Part>;

const context = { actor: 'test', correlation: 'test' };

/** The account as it is now. */
export async function accountState({ loader }: Service<'loader'>, accountId: number): Promise<Account> {
  const [{ state }] = await loader.load(accountStream(accountId));
  return state;
}

/** Runs a command on an account. */
export const changeAccount = ({ commands }: Service<'commands'>, accountId: number, command: AccountCommand) =>
  commands.run(accountStream(accountId), command, context);

/** Makes an ordinary account, or what differs from one. */
export async function registerAccount(
  service: Service<'commands' | 'names' | 'passwords'>,
  accountId: number,
  username: string,
  differing: Partial<Pick<RegisterAccount, 'role' | 'disabled'>> & { password?: string } = {},
): Promise<void> {
  const { password = 'right', role = 0, disabled = false } = differing;
  await changeAccount(service, accountId, {
    type: 'RegisterAccount',
    origin: 'first-start',
    accountId,
    name: await service.names.claim(username),
    password: await service.passwords.make(password, accountId, context.actor),
    role,
    basePath: '/',
    permission: 0,
    disabled,
    ssoId: '',
    allowLdap: true,
  });
}

/** Writes the account anew with what differs. */
export async function updateAccount(
  service: Service<'commands' | 'loader' | 'names' | 'passwords'>,
  accountId: number,
  differing: { username?: string; password?: string; disabled?: boolean; permission?: number },
): Promise<void> {
  const account = await accountState(service, accountId);
  const { username = account.username, password = '', disabled = account.disabled } = differing;
  const { permission = account.permission } = differing;
  const { role, basePath, ssoId, allowLdap } = account;
  await changeAccount(service, accountId, {
    type: 'UpdateAccount',
    name: await service.names.claim(username),
    ...(await service.passwords.makeUnlessEmpty(password, accountId, context.actor)),
    role,
    basePath,
    permission,
    disabled,
    ssoId,
    allowLdap,
  });
}
