import type { Account } from '@keyfold/domain';
import { voidStreamOf } from '@keyfold/event-store';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import { accountStream } from '@keyfold/projections';
import { quoted } from '../output/printable.js';
import type { CommandRun } from '../command-run.js';

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

/** An account by its present name or by its id. Only the id finds a deleted account. */
export type AccountChoice = Readonly<{ username?: string | undefined; id?: number | undefined }>;

/** Acts on the account with this name or id, which may have been deleted, or reports that there is none. */
export async function onAccountId(
  { username = '', id }: AccountChoice,
  { ports, output }: CommandRun,
  act: (accountId: number) => Promise<ExitCode>,
): Promise<ExitCode> {
  if (id !== undefined) {
    const { stream } = accountStream(id);
    const streams = [stream, voidStreamOf(stream)].map((each) => ({ stream: each, version: 0 }));
    const commits = await ports.store.readStreams(streams);
    if (commits.some((commit) => commit.stream === stream)) return act(id);
    await output.err(commits.length > 0 ? `account ${id} was erased` : `no account ever had the id ${id}`);
    return FAILED;
  }
  const account = await ports.names.accountOf(username);
  if (account) return act(account.accountId);
  await output.err(`no account ${quoted(username)}. Use --id for a deleted account`);
  return FAILED;
}
