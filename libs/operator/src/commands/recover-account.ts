import {
  DisableTwoFactorCommand,
  DisableTwoFactorHandler,
  operator,
  SetPasswordCommand,
  SetPasswordHandler,
  UnlockAccountCommand,
  UnlockAccountHandler,
} from '@keyfold/application';
import { DONE, type ExitCode } from '@keyfold/process';
import { LoginThrottle } from '@keyfold/security';
import { counted } from '../output/counted.js';
import { quoted } from '../output/printable.js';
import { changeAccount, onAccount } from './named-account.js';
import { newOrigin } from './new-origin.js';
import { onNewPassword } from './new-password.js';
import type { CommandRun } from './operator-ports.js';

/** Checks that an account exists, before the operator is asked for something. */
export const requireAccount = ({ username }: { username: string }, run: CommandRun): Promise<ExitCode> =>
  onAccount(username, run, async () => DONE);

/** Sets the password of an account, which ends its sessions. */
export const setPassword = (
  { username, password }: { username: string; password: string },
  run: CommandRun,
): Promise<ExitCode> =>
  onNewPassword(password, run, (newPasswords) =>
    changeAccount(username, run, async ({ accountId }) => {
      const handler = new SetPasswordHandler(run.ports.runner, newPasswords);
      await handler.execute(new SetPasswordCommand(operator, accountId, password, newOrigin()));
      return `set a new password for ${quoted(username)} and ended its sessions`;
    }),
  );

/** Turns two-factor off, as an administrator can, which also lifts its lock. */
export const disableTwoFactor = ({ username }: { username: string }, run: CommandRun): Promise<ExitCode> =>
  changeAccount(username, run, async ({ accountId, twoFactor }) => {
    const handler = new DisableTwoFactorHandler(run.ports.runner);
    await handler.execute(new DisableTwoFactorCommand(operator, accountId, newOrigin()));
    return twoFactor
      ? `turned two-factor off for ${quoted(username)}`
      : `two-factor is already off for ${quoted(username)}`;
  });

/** Lifts the lock of the one-time code and the throttle's blocks of an account. */
export const unlockAccount = ({ username }: { username: string }, run: CommandRun): Promise<ExitCode> =>
  changeAccount(username, run, async ({ accountId }) => {
    const { runner, loader, throttle, clock } = run.ports;
    const handler = new UnlockAccountHandler(runner, loader, new LoginThrottle(throttle, () => clock.now()));
    const lifted = await handler.execute(new UnlockAccountCommand(operator, accountId, newOrigin()));
    const locks = [
      ...(lifted.code ? ['the lock of the one-time code'] : []),
      ...(lifted.blocks > 0 ? [counted(lifted.blocks, 'block')] : []),
    ];
    return locks.length > 0
      ? `lifted ${locks.join(' and ')} of ${quoted(username)}`
      : `${quoted(username)} was not locked or blocked`;
  });
