import type { Account, AccountCommand, AddSshKey, RegisterAccount } from '@keyfold/domain';
import { accountStream, sshKeyRingStream } from '@keyfold/projections';
import { publicKey } from '../../domain/testing/ssh-key-ring.events.js';
import type { EmbeddedService } from './embedded-service.js';

/** The parts of a service that a function needs. */
type Service<Part extends keyof EmbeddedService> = Pick<EmbeddedService, Part>;

const context = { actor: 'test', correlation: 'test' };

/** Returns the current state of an account. */
export async function accountState({ loader }: Service<'loader'>, accountId: number): Promise<Account> {
  const [{ state }] = await loader.load(accountStream(accountId));
  return state;
}

/** Runs a command on an account. */
export const changeAccount = ({ runner }: Service<'runner'>, accountId: number, command: AccountCommand) =>
  runner.run(accountStream(accountId), command, context);

/** Registers an account with the general role and the password "right", unless `differing` says otherwise. */
export async function registerAccount(
  service: Service<'runner' | 'names' | 'passwords'>,
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

/** Registers accounts with these names under their ids. */
export async function registerAccounts(
  service: Parameters<typeof registerAccount>[0],
  names: Readonly<Record<number, string>>,
): Promise<void> {
  for (const [id, name] of Object.entries(names)) await registerAccount(service, Number(id), name);
}

/** Updates the given fields of an account. */
export async function updateAccount(
  service: Service<'runner' | 'loader' | 'names' | 'passwords'>,
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

/** Adds a key that belongs to its title, unless `differing` says otherwise. */
export const addSshKey = (
  { runner, clock }: Service<'runner' | 'clock'>,
  accountId: number,
  title: string,
  differing: Partial<Pick<AddSshKey, 'key' | 'expiresAt'>> = {},
) => {
  const command = {
    type: 'AddSshKey',
    accountId,
    title,
    key: publicKey(title),
    ...differing,
    now: clock.now(),
  } as const;
  return runner.run(sshKeyRingStream(accountId), command, context);
};
