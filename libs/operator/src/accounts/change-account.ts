import {
  DeleteAccountCommand,
  DisableTwoFactorCommand,
  operator,
  RegisterAccountCommand,
  SetPasswordCommand,
  UnlockAccountCommand,
  UpdateAccountFieldsCommand,
  type AccountChanges,
  type AccountInput,
} from '@keyfold/application';
import type { Account } from '@keyfold/domain';
import { DONE, type ExitCode } from '@keyfold/process';
import { accountStream } from '@keyfold/projections';
import { newOrigin, refuseInput, type CommandRun } from '../command-run.js';
import { counted, quoted } from '../output/printable.js';
import { changeAccount, onAccount } from './named-account.js';
import { accountFields } from './show-accounts.js';

const GENERAL_ROLE = 0;
const EMPTY_PASSWORD = 'the new password is empty';

type NewAccount = Omit<AccountInput, 'role' | 'allowLdap'>;

/** Creates an account with the general role. The API cannot create administrators either. */
export async function createAccount(
  { json, ...account }: NewAccount & Readonly<{ json: boolean }>,
  run: CommandRun,
): Promise<ExitCode> {
  const { ports, output } = run;
  if (account.username === '') return refuseInput('the user name is empty', run);
  if (account.password === '') return refuseInput(EMPTY_PASSWORD, run);
  const fields = { ...account, role: GENERAL_ROLE, allowLdap: true };
  await ports.commands.execute(new RegisterAccountCommand(operator, fields, newOrigin()));
  const created = await ports.names.accountOf(account.username);
  const id = created ? ` with the id ${created.accountId}` : '';
  await output.out(
    json && created ? JSON.stringify(accountFields(created)) : `created the account ${quoted(account.username)}${id}`,
  );
  return DONE;
}

/** The changes of a command; undefined ones stay as they are. */
type Changes = Readonly<{
  username?: string | undefined;
  basePath?: string | undefined;
  permission?: number | undefined;
  ssoId?: string | undefined;
  allowLdap?: boolean | undefined;
}>;

/** Changes the given fields of an account and nothing else. */
export function updateAccount(
  { username, changes, json }: Readonly<{ username: string; changes: Changes; json: boolean }>,
  run: CommandRun,
): Promise<ExitCode> {
  if (changes.username === '') return refuseInput('the new user name is empty', run);
  return changeAccount(username, run, async (account) => {
    const after = await apply(account, given(changes), run);
    if (json) return JSON.stringify(accountFields(after));
    return after === account ? `nothing differs for ${quoted(username)}` : `updated ${quoted(username)}`;
  });
}

/** Refuses the logins and requests of an account from now on. */
export const disableAccount = ({ username }: { username: string }, run: CommandRun): Promise<ExitCode> =>
  changeAccount(username, run, async (account) => {
    await apply(account, { disabled: true }, run);
    return account.disabled ? `${quoted(username)} is already disabled` : `disabled ${quoted(username)}`;
  });

/** Lets an account log in again; its earlier sessions work again, too. */
export const enableAccount = ({ username }: { username: string }, run: CommandRun): Promise<ExitCode> =>
  changeAccount(username, run, async (account) => {
    await apply(account, { disabled: false }, run);
    return account.disabled ? `enabled ${quoted(username)}` : `${quoted(username)} is already enabled`;
  });

/** Deletes an account with its keys and sessions. */
export const deleteAccount = ({ username }: { username: string }, run: CommandRun): Promise<ExitCode> =>
  changeAccount(username, run, async ({ accountId }) => {
    await run.ports.commands.execute(new DeleteAccountCommand(operator, accountId, newOrigin()));
    return `deleted the account ${quoted(username)} with its keys and sessions`;
  });

/** Returns the account after the changes. The same object means that nothing differed. */
async function apply(account: Account, changes: AccountChanges, { ports }: CommandRun): Promise<Account> {
  const ref = accountStream(account.accountId);
  const [before] = await ports.loader.load(ref);
  await ports.commands.execute(new UpdateAccountFieldsCommand(operator, account.accountId, changes, newOrigin()));
  const [after] = await ports.loader.load(ref);
  return after.version === before.version ? account : after.state;
}

const given = (changes: Changes) =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as AccountChanges;

/** Checks that an account exists, before the operator is asked for something. */
export const requireAccount = ({ username }: { username: string }, run: CommandRun): Promise<ExitCode> =>
  onAccount(username, run, async () => DONE);

/** Sets the password of an account, which ends its sessions. */
export async function setPassword(
  { username, password }: { username: string; password: string },
  run: CommandRun,
): Promise<ExitCode> {
  if (password === '') return refuseInput(EMPTY_PASSWORD, run);
  // A wrong key is reported before a wrong name.
  await run.ports.sealer();
  return changeAccount(username, run, async ({ accountId }) => {
    await run.ports.commands.execute(new SetPasswordCommand(operator, accountId, password, newOrigin()));
    return `set a new password for ${quoted(username)} and ended its sessions`;
  });
}

/** Turns two-factor off, as an administrator can, which also lifts its lock. */
export const disableTwoFactor = ({ username }: { username: string }, run: CommandRun): Promise<ExitCode> =>
  changeAccount(username, run, async ({ accountId, twoFactor }) => {
    await run.ports.commands.execute(new DisableTwoFactorCommand(operator, accountId, newOrigin()));
    return twoFactor
      ? `turned two-factor off for ${quoted(username)}`
      : `two-factor is already off for ${quoted(username)}`;
  });

/** Lifts the lock of the one-time code and the throttle's blocks of an account. */
export const unlockAccount = ({ username }: { username: string }, run: CommandRun): Promise<ExitCode> =>
  changeAccount(username, run, async ({ accountId }) => {
    const lifted = await run.ports.commands.execute(new UnlockAccountCommand(operator, accountId, newOrigin()));
    const locks = [
      ...(lifted.code ? ['the lock of the one-time code'] : []),
      ...(lifted.blocks > 0 ? [counted(lifted.blocks, 'block')] : []),
    ];
    return locks.length > 0
      ? `lifted ${locks.join(' and ')} of ${quoted(username)}`
      : `${quoted(username)} was not locked or blocked`;
  });
