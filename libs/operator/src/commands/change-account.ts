import {
  DisableTwoFactorCommand,
  DisableTwoFactorHandler,
  operator,
  SetPasswordCommand,
  SetPasswordHandler,
} from '@keyfold/application';
import { DomainError } from '@keyfold/domain';
import { DONE, WRONG_USAGE, type ExitCode } from '@keyfold/process';
import { quoted } from '../output/printable.js';
import { changeAccount, onAccount } from './named-account.js';
import { newOrigin } from './new-origin.js';
import type { CommandRun } from './operator-ports.js';
import { refusalText } from './refusal-text.js';

/** Checks that an account exists, before the operator is asked for a password. */
export const requireAccount = ({ username }: { username: string }, run: CommandRun): Promise<ExitCode> =>
  onAccount(username, run, async () => DONE);

/** Sets the password of an account, which ends its sessions. */
export async function setPassword(
  { username, password }: { username: string; password: string },
  run: CommandRun,
): Promise<ExitCode> {
  if (password === '') return refuse('the new password is empty', run);
  const changing = changeAccount(username, run, async ({ accountId }) => {
    const { runner, newPasswords } = run.ports;
    const handler = new SetPasswordHandler(runner, await newPasswords());
    await handler.execute(new SetPasswordCommand(operator, accountId, password, newOrigin()));
    return `set a new password for ${quoted(username)} and ended its sessions`;
  });
  return changing.catch((error: unknown) => {
    const isRefused = error instanceof DomainError && error.code.startsWith('password-too-');
    if (!isRefused) throw error;
    return refuse(refusalText(error), run);
  });
}

async function refuse(reason: string, { output }: CommandRun): Promise<ExitCode> {
  await output.err(`${reason}. Nothing was changed`);
  return WRONG_USAGE;
}

/** Turns two-factor off, as an administrator can, which also lifts its lock. */
export const disableTwoFactor = ({ username }: { username: string }, run: CommandRun): Promise<ExitCode> =>
  changeAccount(username, run, async ({ accountId, twoFactor }) => {
    const handler = new DisableTwoFactorHandler(run.ports.runner);
    await handler.execute(new DisableTwoFactorCommand(operator, accountId, newOrigin()));
    return twoFactor
      ? `turned two-factor off for ${quoted(username)}`
      : `two-factor is already off for ${quoted(username)}`;
  });
