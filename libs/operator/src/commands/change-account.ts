import {
  CancelTwoFactor,
  CancelTwoFactorHandler,
  operator,
  SetPassword,
  SetPasswordHandler,
} from '@keyfold/application';
import { DomainError, type Account } from '@keyfold/domain';
import { refusalFor } from '@keyfold/http-envelope';
import { randomUUID } from 'node:crypto';
import { DONE, FAILED, WRONG_USAGE, type ExitCode } from '@keyfold/process';
import type { CommandRun } from './operator-ports.js';

/** Reports an account that does not exist, so that nobody is asked for a password in vain. */
export async function requireAccount({ username }: { username: string }, run: CommandRun): Promise<ExitCode> {
  return (await run.ports.names.accountOf(username)) ? DONE : reportUnknown(username, run);
}

/** Gives an account another password and changes nothing else; its sessions end. */
export async function setPassword(
  { username, password }: { username: string; password: string },
  run: CommandRun,
): Promise<ExitCode> {
  if (password === '') return refuse('the new password is empty', run);
  const changing = changeAccount(username, run, async ({ accountId }, { commands, newPasswords }) => {
    const handler = new SetPasswordHandler(commands, await newPasswords());
    await handler.execute(new SetPassword(operator, accountId, password, newOrigin()));
    return `${quoted(username)} has a new password; its sessions have ended`;
  });
  return changing.catch((error: unknown) => {
    const isRefused = error instanceof DomainError && error.code.startsWith('password-too-');
    if (!isRefused) throw error;
    return refuse(refusalFor(error).message, run);
  });
}

async function refuse(reason: string, { output }: CommandRun): Promise<ExitCode> {
  await output.err(`${reason}; nothing was changed`);
  return WRONG_USAGE;
}

/** Does what an administrator does who turns two-factor off, which also lifts a lock. */
export const disableTwoFactor = ({ username }: { username: string }, run: CommandRun): Promise<ExitCode> =>
  changeAccount(username, run, async ({ accountId, twoFactor }, { commands }) => {
    const handler = new CancelTwoFactorHandler(commands);
    await handler.execute(new CancelTwoFactor(operator, accountId, newOrigin()));
    return `two-factor of ${quoted(username)} ${twoFactor ? 'is off' : 'was off already'}`;
  });

/** Tells what `change` answers, or that there is no such account, also when it was deleted meanwhile. */
async function changeAccount(
  username: string,
  run: CommandRun,
  change: (account: Account, ports: CommandRun['ports']) => Promise<string>,
): Promise<ExitCode> {
  const account = await run.ports.names.accountOf(username);
  const done = account && (await change(account, run.ports).catch(unlessDeleted));
  if (done === undefined) return reportUnknown(username, run);
  await run.output.out(done);
  return DONE;
}

async function reportUnknown(username: string, { output }: CommandRun): Promise<ExitCode> {
  await output.err(`there is no account ${quoted(username)}; nothing was changed`);
  return FAILED;
}

function unlessDeleted(error: unknown): undefined {
  if (!(error instanceof DomainError && error.code === 'account-not-found')) throw error;
}

const newOrigin = () => ({ correlation: randomUUID() });

/** On one line, whatever is in it. */
const quoted = (username: string) => JSON.stringify(username);
