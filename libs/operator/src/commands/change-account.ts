import {
  DisableTwoFactorCommand,
  DisableTwoFactorHandler,
  operator,
  SetPasswordCommand,
  SetPasswordHandler,
} from '@keyfold/application';
import { DomainError, type Account } from '@keyfold/domain';
import { refusalFor } from '@keyfold/http-envelope';
import { randomUUID } from 'node:crypto';
import { DONE, FAILED, WRONG_USAGE, type ExitCode } from '@keyfold/process';
import type { CommandRun } from './operator-ports.js';

/** Checks that an account exists, before the operator is asked for a password. */
export async function requireAccount({ username }: { username: string }, run: CommandRun): Promise<ExitCode> {
  return (await run.ports.names.accountOf(username)) ? DONE : reportUnknown(username, run);
}

/** Sets the password of an account, which ends its sessions. */
export async function setPassword(
  { username, password }: { username: string; password: string },
  run: CommandRun,
): Promise<ExitCode> {
  if (password === '') return refuse('the new password is empty', run);
  const changing = changeAccount(username, run, async ({ accountId }, { runner, newPasswords }) => {
    const handler = new SetPasswordHandler(runner, await newPasswords());
    await handler.execute(new SetPasswordCommand(operator, accountId, password, newOrigin()));
    return `set a new password for ${quoted(username)} and ended its sessions`;
  });
  return changing.catch((error: unknown) => {
    const isRefused = error instanceof DomainError && error.code.startsWith('password-too-');
    if (!isRefused) throw error;
    return refuse(refusalFor(error).message, run);
  });
}

async function refuse(reason: string, { output }: CommandRun): Promise<ExitCode> {
  await output.err(`${reason}. Nothing was changed`);
  return WRONG_USAGE;
}

/** Turns two-factor off, as an administrator can, which also lifts its lock. */
export const disableTwoFactor = ({ username }: { username: string }, run: CommandRun): Promise<ExitCode> =>
  changeAccount(username, run, async ({ accountId, twoFactor }, { runner }) => {
    const handler = new DisableTwoFactorHandler(runner);
    await handler.execute(new DisableTwoFactorCommand(operator, accountId, newOrigin()));
    return twoFactor
      ? `turned two-factor off for ${quoted(username)}`
      : `two-factor is already off for ${quoted(username)}`;
  });

/** Reports the result of `change`, or that the account does not exist or was deleted meanwhile. */
async function changeAccount(
  username: string,
  run: CommandRun,
  change: (account: Account, ports: CommandRun['ports']) => Promise<string>,
): Promise<ExitCode> {
  const account = await run.ports.names.accountOf(username);
  const result = account && (await change(account, run.ports).catch(unlessDeleted));
  if (result === undefined) return reportUnknown(username, run);
  await run.output.out(result);
  return DONE;
}

async function reportUnknown(username: string, { output }: CommandRun): Promise<ExitCode> {
  await output.err(`no account ${quoted(username)}. Nothing was changed`);
  return FAILED;
}

function unlessDeleted(error: unknown): undefined {
  if (!(error instanceof DomainError && error.code === 'account-not-found')) throw error;
}

const newOrigin = () => ({ correlation: randomUUID() });

/** Escapes line breaks and control characters. */
const quoted = (username: string) => JSON.stringify(username);
