import { accountAggregate } from '@keyfold/domain';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import { accountStream, walkFeed } from '@keyfold/projections';
import type { CommandRun } from '../../command-run.js';
import { headOf, lineOf } from '../../output/table.js';
import { importedIdIn } from './import-marks.js';

const COLUMNS = [
  { head: 'openlist', width: 9, isNumeric: true },
  { head: 'here', width: 9, isNumeric: true },
  { head: 'username', width: 50 },
];

/** An imported account. `id` is that in OpenList. `username` is null if the account was deleted here. */
export type MappedAccount = Readonly<{ id: number; accountId: number; username: string | null }>;

/** Shows which account each imported account of OpenList became, by the command ids of their first commits. */
export async function showMapping(
  { json }: { json: boolean },
  { ports, output, signal }: CommandRun,
): Promise<ExitCode> {
  let problems = 0;
  const report = (problem: string) => {
    problems++;
    return output.err(problem);
  };
  if (!json) await output.out(headOf(COLUMNS));
  for (const [slot, head] of await ports.feed.readHeads()) {
    for await (const page of walkFeed(ports.feed, slot, head, ports.isAlone, report)) {
      signal.throwIfAborted();
      const imported = page.flatMap((commit) => {
        const id = commit.stream.startsWith(accountAggregate.streamPrefix) ? importedIdIn(commit) : undefined;
        return id === undefined ? [] : [{ id, account: accountStream(Number(commit.partition)) }];
      });
      const accounts = await ports.loader.load(...imported.map(({ account }) => account));
      for (const [index, { state }] of accounts.entries()) {
        const { id } = imported[index]!;
        const { accountId } = state;
        const username = state.status === 'active' ? state.username : null;
        if (json) await output.out(JSON.stringify({ id, accountId, username } satisfies MappedAccount));
        else await output.out(lineOf([id, accountId, username ?? '(deleted)'], COLUMNS));
      }
    }
  }
  return problems === 0 ? DONE : FAILED;
}
