import type { Account } from '@keyfold/domain';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import { quoted } from '../output/printable.js';
import type { CommandRun } from './operator-ports.js';

/** Acts on the account with exactly this name, or reports that there is none. */
export async function onAccount(
  username: string,
  run: CommandRun,
  act: (account: Account) => Promise<ExitCode>,
): Promise<ExitCode> {
  const account = await run.ports.names.accountOf(username);
  if (account) return act(account);
  await run.output.err(`no account ${quoted(username)}. Nothing was changed`);
  return FAILED;
}

/** Changes the account with exactly this name, and reports the returned result. */
export const changeAccount = (
  username: string,
  run: CommandRun,
  change: (account: Account) => Promise<string>,
): Promise<ExitCode> =>
  onAccount(username, run, async (account) => {
    await run.output.out(await change(account));
    return DONE;
  });
