import { DONE, type ExitCode } from '@keyfold/process';
import { fieldsOf } from '../output/fields.js';
import { quoted } from '../output/printable.js';
import { accountJson, accountLabels } from './account-fields.js';
import { onAccount } from './named-account.js';
import type { CommandRun } from './operator-ports.js';

/** Shows the fields of an account. */
export const showAccount = (
  { username, json }: { username: string; json: boolean },
  run: CommandRun,
): Promise<ExitCode> =>
  onAccount(username, run, async (account) => {
    const lines = json ? [accountJson(account)] : fieldsOf(quoted(account.username), accountLabels(account));
    for (const line of lines) await run.output.out(line);
    return DONE;
  });
