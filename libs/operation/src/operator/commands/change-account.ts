import {
  CancelTwoFactor,
  CancelTwoFactorHandler,
  operator,
  UpdateAccount,
  UpdateAccountHandler,
  type WrittenAccount,
} from '@keyfold/application';
import type { Account } from '@keyfold/domain';
import { randomUUID } from 'node:crypto';
import type { CommandRun } from '../operator-ports.js';
import { DONE, FAILED, WRONG_USAGE, type ExitCode } from '../../process/exit-code.js';

/** Does what an administrator does who writes an account with another password; its sessions end. */
export async function setPassword(
  { username, password }: { username: string; password: string },
  { ports, output }: CommandRun,
): Promise<ExitCode> {
  // An administrator's empty password keeps the old one.
  if (password === '') {
    await output.err('the new password is empty; nothing was changed');
    return WRONG_USAGE;
  }
  const account = await ports.names.accountOf(username);
  if (!account) return unknownName(username, output);
  const handler = new UpdateAccountHandler(ports.commands, ports.loader, ports.names, await ports.newPasswords());
  const written = { ...writtenAs(account), password };
  await handler.execute(new UpdateAccount(operator, account.accountId, written, newOrigin()));
  await output.out(`${quoted(username)} has a new password; its sessions have ended`);
  return DONE;
}

/** Does what an administrator does who turns two-factor off, which also lifts a lock. */
export async function disableTwoFactor(
  { username }: { username: string },
  { ports, output }: CommandRun,
): Promise<ExitCode> {
  const account = await ports.names.accountOf(username);
  if (!account) return unknownName(username, output);
  const handler = new CancelTwoFactorHandler(ports.commands);
  await handler.execute(new CancelTwoFactor(operator, account.accountId, newOrigin()));
  await output.out(`two-factor of ${quoted(username)} ${account.twoFactor ? 'is off' : 'was off already'}`);
  return DONE;
}

/** The account as it is, for an update that keeps it. */
function writtenAs({
  username,
  role,
  basePath,
  permission,
  disabled,
  ssoId,
  allowLdap,
}: Account): Omit<WrittenAccount, 'password'> {
  return { username, role, basePath, permission, disabled, ssoId, allowLdap };
}

async function unknownName(username: string, output: CommandRun['output']): Promise<ExitCode> {
  await output.err(`there is no account ${quoted(username)}; nothing was changed`);
  return FAILED;
}

const newOrigin = () => ({ correlation: randomUUID() });

/** On one line, whatever is in it. */
const quoted = (username: string) => JSON.stringify(username);
