import { AccountIds, operator, RegisterAccountCommand, RegisterAccountHandler } from '@keyfold/application';
import { DONE, type ExitCode } from '@keyfold/process';
import { quoted } from '../output/printable.js';
import { accountFields } from './account-fields.js';
import { newOrigin } from './new-origin.js';
import { onNewPassword, refuseInput } from './new-password.js';
import type { CommandRun } from './operator-ports.js';

/** A command needs one id. */
const ID_BLOCK = 1;
const GENERAL_ROLE = 0;

type NewAccount = Readonly<{
  username: string;
  password: string;
  basePath: string;
  permission: number;
  disabled: boolean;
  ssoId: string;
}>;

/** Creates an account with the general role. The API cannot create administrators either. */
export function createAccount(
  { json, ...account }: NewAccount & Readonly<{ json: boolean }>,
  run: CommandRun,
): Promise<ExitCode> {
  const { ports, output } = run;
  if (account.username === '') return refuseInput('the user name is empty', run);
  return onNewPassword(account.password, run, async (newPasswords) => {
    const ids = new AccountIds(ports.counter, ID_BLOCK);
    const handler = new RegisterAccountHandler(ports.runner, ports.names, ids, newPasswords);
    const fields = { ...account, role: GENERAL_ROLE, allowLdap: true };
    await handler.execute(new RegisterAccountCommand(operator, fields, newOrigin()));
    const created = await ports.names.accountOf(account.username);
    const id = created ? ` with the id ${created.accountId}` : '';
    await output.out(
      json && created ? JSON.stringify(accountFields(created)) : `created the account ${quoted(account.username)}${id}`,
    );
    return DONE;
  });
}
