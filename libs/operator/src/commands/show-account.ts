import { accountAt, isoTime, keyListOf } from '@keyfold/application';
import { accountStream } from '@keyfold/projections';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import { fieldsOf } from '../output/fields.js';
import { quoted } from '../output/printable.js';
import { accountFields, accountLabels } from './account-fields.js';
import { keyFields, keyLines } from './key-fields.js';
import { onAccountId, type AccountChoice } from './named-account.js';
import type { CommandRun } from './operator-ports.js';

/** The account, and the time in unix milliseconds at which to show it; undefined for now. */
type ShowAccountArgs = AccountChoice & Readonly<{ at?: number | undefined; json: boolean }>;

/** Shows an account as it is, or with its keys as it was at a time. Shows no secret. */
export const showAccount = ({ at, json, ...choice }: ShowAccountArgs, run: CommandRun): Promise<ExitCode> =>
  onAccountId(choice, run, (accountId) =>
    at === undefined ? showPresent(accountId, json, run) : showPast(accountId, at, json, run),
  );

async function showPresent(accountId: number, json: boolean, { ports, output }: CommandRun): Promise<ExitCode> {
  const [{ state: account }] = await ports.loader.load(accountStream(accountId));
  if (account.status !== 'active') {
    await output.err(`the account with the id ${accountId} was deleted. Use --at to show it as it was`);
    return FAILED;
  }
  const lines = json
    ? [JSON.stringify(accountFields(account))]
    : fieldsOf(quoted(account.username), accountLabels(account));
  for (const line of lines) await output.out(line);
  return DONE;
}

async function showPast(
  accountId: number,
  at: number,
  json: boolean,
  { ports, output, signal }: CommandRun,
): Promise<ExitCode> {
  const { account, ring, use } = await accountAt(ports.store, accountId, at);
  const isActive = account.status === 'active';
  const status = account.status === 'absent' ? 'not yet created' : account.status;
  // The keys of a deleted account are deleted too.
  const keys = isActive ? keyListOf({ ring, use }, at) : [];
  const time = isoTime(at);
  if (json) {
    const fields = isActive ? accountFields(account) : { id: accountId };
    await output.out(JSON.stringify({ at: time, status, ...fields, keys: keys.map(keyFields) }));
    return DONE;
  }
  const labels = isActive ? accountLabels(account) : { id: accountId, state: status };
  const title = isActive ? `${quoted(account.username)} at ${time}` : `account ${accountId} at ${time}`;
  for (const line of fieldsOf(title, labels)) await output.out(line);
  for (const key of keys) {
    signal.throwIfAborted();
    for (const line of keyLines(key)) await output.out(line);
  }
  return DONE;
}
