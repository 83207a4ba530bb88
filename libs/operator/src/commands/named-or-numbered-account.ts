import { accountStream } from '@keyfold/projections';
import { quoted } from '../output/printable.js';
import { FAILED, type ExitCode } from '@keyfold/process';
import type { CommandRun } from './operator-ports.js';

/** An account by its present name or by its id. Only the id finds a deleted account. */
export type NamedAccount = Readonly<{ username?: string | undefined; id?: number | undefined }>;

/** Returns the id of the account, or reports that there is no such account. */
export async function accountIdOf(
  { username, id }: NamedAccount,
  { ports, output }: CommandRun,
): Promise<Readonly<{ accountId: number } | { exitCode: ExitCode }>> {
  if (id !== undefined) {
    const { stream } = accountStream(id);
    if ((await ports.store.readStreams([{ stream, version: 0 }])).length > 0) return { accountId: id };
    await output.err(`no account ever had the id ${id}`);
    return { exitCode: FAILED };
  }
  const account = username === undefined ? undefined : await ports.names.accountOf(username);
  if (account) return { accountId: account.accountId };
  await output.err(`no account ${quoted(username ?? '')}. Use --id for a deleted account`);
  return { exitCode: FAILED };
}
