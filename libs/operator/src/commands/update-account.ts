import {
  DeleteAccountCommand,
  DeleteAccountHandler,
  operator,
  UpdateAccountFieldsCommand,
  UpdateAccountFieldsHandler,
  type AccountChanges,
} from '@keyfold/application';
import type { Account } from '@keyfold/domain';
import { accountStream } from '@keyfold/projections';
import type { ExitCode } from '@keyfold/process';
import { quoted } from '../output/printable.js';
import { accountFields } from './account-fields.js';
import { changeAccount } from './named-account.js';
import { newOrigin } from './new-origin.js';
import { refuseInput } from './new-password.js';
import type { CommandRun } from './operator-ports.js';

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
    const handler = new DeleteAccountHandler(run.ports.runner);
    await handler.execute(new DeleteAccountCommand(operator, accountId, newOrigin()));
    return `deleted the account ${quoted(username)} with its keys and sessions`;
  });

/** Returns the account after the changes. The same object means that nothing differed. */
async function apply(account: Account, changes: AccountChanges, { ports }: CommandRun): Promise<Account> {
  const ref = accountStream(account.accountId);
  const [before] = await ports.loader.load(ref);
  const handler = new UpdateAccountFieldsHandler(ports.runner, ports.names);
  await handler.execute(new UpdateAccountFieldsCommand(operator, account.accountId, changes, newOrigin()));
  const [after] = await ports.loader.load(ref);
  return after.version === before.version ? account : after.state;
}

const given = (changes: Changes) =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as AccountChanges;
