import { accountAt, isoTime, keyListOf, ListAccountsHandler, ListAccountsQuery } from '@keyfold/application';
import { ROLE_ADMIN, ROLE_GUEST, type Account } from '@keyfold/domain';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import { accountStream, type ReadModelStore } from '@keyfold/projections';
import type { CommandRun } from '../command-run.js';
import { counted, quoted } from '../output/printable.js';
import { fieldsOf, headOf, lineOf } from '../output/table.js';
import { keyFields, keyLines } from './account-keys.js';
import { onAccountId, type AccountChoice } from './named-account.js';

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
  for await (const page of accountPages(ports.readModels)) {
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
export async function* accountPages(readModels: ReadModelStore): AsyncGenerator<readonly Account[]> {
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

/** Returns the fields of an account as JSON shows them. No secret is among them. */
export const accountFields = (account: Account) => ({
  id: account.accountId,
  username: account.username,
  role: account.role,
  disabled: account.disabled,
  basePath: account.basePath,
  permission: account.permission,
  ssoId: account.ssoId,
  allowLdap: account.allowLdap,
  twoFactor: twoFactorOf(account),
  recoveryCodesLeft: recoveryCodesLeft(account),
  passwordChanged: passwordChanged(account),
});

/** Returns the fields of an account for people, by their labels. */
const accountLabels = (account: Account): Record<string, string | number> => ({
  id: account.accountId,
  role: roleName(account),
  state: stateOf(account),
  'two-factor': twoFactorOf(account),
  'recovery codes': recoveryCodesLeft(account) ?? 'none',
  'password changed': passwordChanged(account) ?? 'never',
  'base path': account.basePath,
  permission: account.permission,
  'SSO id': account.ssoId,
  LDAP: account.allowLdap ? 'allowed' : 'not allowed',
});

/** Returns the second factor in a word. */
function twoFactorOf({ twoFactor }: Account): 'off' | 'on' | 'locked' {
  if (!twoFactor) return 'off';
  return twoFactor.locked ? 'locked' : 'on';
}

/** Returns whether the account can be used, in a word. */
const stateOf = ({ disabled }: Account) => (disabled ? 'disabled' : 'enabled');

/** Returns the role in a word, or as a number if it has no meaning. */
function roleName({ role }: Account): string {
  if (role === ROLE_ADMIN) return 'admin';
  if (role === ROLE_GUEST) return 'guest';
  return role === 0 ? 'general' : String(role);
}

const recoveryCodesLeft = ({ twoFactor }: Account) => twoFactor?.recoveryCodes?.unused.length ?? null;

/** The first accounts have no time. */
const passwordChanged = ({ passwordTimestamp }: Account) =>
  passwordTimestamp === 0 ? null : isoTime(passwordTimestamp * 1000);
