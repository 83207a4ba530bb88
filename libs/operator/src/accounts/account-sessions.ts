import {
  AccountSessions,
  EndAnySessionCommand,
  EvictAnySessionsCommand,
  isoTime,
  MOST_SESSIONS,
  operator,
  RevokeEverythingCommand,
  TokenActivity,
  type ListedSession,
} from '@keyfold/application';
import type { Account } from '@keyfold/domain';
import { DONE, type ExitCode } from '@keyfold/process';
import { counted, quoted } from '../output/printable.js';
import { fieldsOf } from '../output/table.js';
import { changeAccount, onAccount } from './named-account.js';
import { newOrigin, type CommandRun } from '../command-run.js';

/** Shows the sessions of an account, or evicts the one with the id `evict` or all of them. */
export function accountSessions(
  {
    username,
    evict,
    evictAll,
    json,
  }: { username: string; evict?: string | undefined; evictAll: boolean; json: boolean },
  run: CommandRun,
): Promise<ExitCode> {
  if (evictAll) return changeAccount(username, run, (account) => evictEverySession(account, run));
  if (evict !== undefined) return changeAccount(username, run, (account) => evictOne(account, evict, run));
  return onAccount(username, run, (account) => showSessions(account, json, run));
}

async function showSessions(account: Account, json: boolean, { ports, output }: CommandRun): Promise<ExitCode> {
  const activity = new TokenActivity(ports.tokenUses, ports.clock);
  const sessions = new AccountSessions(ports.readModels, ports.loader, activity, ports.clock);
  const listed = await sessions.list(account);
  for (const each of listed) {
    const fields = fieldsOfSession(each);
    if (json) await output.out(JSON.stringify(fields));
    else for (const line of linesOf(fields)) await output.out(line);
  }
  if (!json) await output.out(`${counted(listed.length, 'session')} of ${quoted(account.username)}`);
  if (listed.length === MOST_SESSIONS) await output.err(`only the latest ${MOST_SESSIONS} sessions are shown`);
  return DONE;
}

async function evictOne({ accountId, username }: Account, id: string, { ports }: CommandRun): Promise<string> {
  await ports.commands.execute(new EndAnySessionCommand(operator, id, newOrigin(), accountId));
  return `evicted the session ${id} of ${quoted(username)}`;
}

async function evictEverySession({ accountId, username }: Account, { ports }: CommandRun): Promise<string> {
  await ports.commands.execute(new EvictAnySessionsCommand(operator, accountId, newOrigin()));
  return `evicted every session of ${quoted(username)}`;
}

/** Ends every session of an account, and revokes its access tokens and app passwords. */
export const revokeEverything = ({ username }: { username: string }, run: CommandRun): Promise<ExitCode> =>
  changeAccount(username, run, async (account) => {
    await run.ports.commands.execute(new RevokeEverythingCommand(operator, account.accountId, newOrigin()));
    return `evicted every session and revoked every access token and app password of ${quoted(account.username)}`;
  });

function fieldsOfSession({ session, lastActive, works }: ListedSession) {
  return {
    id: session.sessionId,
    started: isoTime(session.startedAt * 1000),
    lastActive: isoTime(lastActive * 1000),
    expires: isoTime(session.expiresAt * 1000),
    works,
    ip: session.address,
    ua: session.client,
    factors: session.factors,
  };
}

function linesOf({ id, started, lastActive, expires, works, ip, ua, factors }: ReturnType<typeof fieldsOfSession>) {
  const state = works ? '' : ' (refused, because the account was changed or disabled)';
  const times = { started, 'last active': lastActive, expires };
  return fieldsOf(`${id}${state}`, { ...times, ip, ua, factors: factors.join(', ') });
}
