import { ListAccountsHandler, ListAccountsQuery } from '@keyfold/application';
import type { Account } from '@keyfold/domain';
import type { ReadModelStore } from '@keyfold/projections';
import { DONE, type ExitCode } from '@keyfold/process';
import { counted } from '../output/counted.js';
import { headOf, lineOf } from '../output/table.js';
import { accountFields, roleName, stateOf, twoFactorOf } from './account-fields.js';
import type { CommandRun } from './operator-ports.js';

/** Accounts that are read together. */
const PAGE = 500;
const COLUMNS = [
  { head: 'id', width: 9, isNumeric: true },
  { head: 'username', width: 25 },
  { head: 'role', width: 7 },
  { head: 'state', width: 8 },
  { head: '2fa', width: 6 },
  { head: 'base path', width: 15 },
];

/** Shows all accounts by id. Reads and writes a page at a time, so that memory does not depend on their number. */
export async function listAccounts(
  { json }: { json: boolean },
  { ports, output, signal }: CommandRun,
): Promise<ExitCode> {
  let count = 0;
  if (!json) await output.out(headOf(COLUMNS));
  for await (const page of pagesOf(ports.readModels)) {
    signal.throwIfAborted();
    for (const account of page) await output.out(json ? JSON.stringify(accountFields(account)) : rowOf(account));
    count += page.length;
  }
  if (!json) await output.out(counted(count, 'account'));
  return DONE;
}

/**
 * Yields pages of accounts. Each page overlaps the one before by an account. If a deletion has moved that account, the page is read again
 * further back, so that no other account is skipped.
 */
async function* pagesOf(readModels: ReadModelStore): AsyncGenerator<readonly Account[]> {
  const handler = new ListAccountsHandler(readModels);
  let last = -Infinity;
  for (let offset = 0, overlap = 1; ;) {
    const start = Math.max(0, offset - overlap);
    const { items } = await handler.execute(new ListAccountsQuery(start, PAGE + overlap));
    const [first] = items;
    if (start > 0 && (!first || first.accountId > last)) {
      overlap *= 2;
      continue;
    }
    const fresh = items.filter(({ accountId }) => accountId > last);
    if (fresh.length === 0) return;
    yield fresh;
    last = fresh.at(-1)!.accountId;
    offset = start + items.length;
    overlap = 1;
  }
}

const rowOf = (account: Account) =>
  lineOf(
    [account.accountId, account.username, roleName(account), stateOf(account), twoFactorOf(account), account.basePath],
    COLUMNS,
  );
