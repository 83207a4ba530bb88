import {
  listAccessTokens,
  operator,
  RevokeAnyAccessTokenCommand,
  RevokeAnyAccessTokenHandler,
  SystemClock,
  TokenActivity,
  type ListedAccessToken,
} from '@keyfold/application';
import { accountOfAccessToken, DomainError, type Account } from '@keyfold/domain';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import { accessTokensStream } from '@keyfold/projections';
import { randomUUID } from 'node:crypto';
import { counted } from '../output/counted.js';
import type { CommandRun } from './operator-ports.js';

/** Shows the access tokens of an account, or revokes the one with the id `revoke`. */
export async function accountTokens(
  { username, revoke, json }: { username: string; revoke?: number | undefined; json: boolean },
  run: CommandRun,
): Promise<ExitCode> {
  const account = await run.ports.names.accountOf(username);
  if (!account) return fail(`no account ${quoted(username)}. Nothing was changed`, run);
  return revoke === undefined ? showTokens(account, json, run) : revokeToken(account, revoke, run);
}

async function showTokens(account: Account, json: boolean, { ports, output }: CommandRun): Promise<ExitCode> {
  const [{ state }] = await ports.loader.load(accessTokensStream(account.accountId));
  const activity = new TokenActivity(ports.tokenUses, new SystemClock());
  const tokens = (await listAccessTokens(state.tokens, activity, ports.now())).map(shown);
  for (const token of tokens) {
    if (json) await output.out(JSON.stringify(token));
    else for (const line of linesOf(token)) await output.out(line);
  }
  if (!json) await output.out(`${counted(tokens.length, 'access token')} of ${quoted(account.username)}`);
  return DONE;
}

async function revokeToken({ accountId, username }: Account, tokenId: number, run: CommandRun): Promise<ExitCode> {
  const missing = `no access token ${tokenId} of ${quoted(username)}. Nothing was changed`;
  if (accountOfAccessToken(tokenId) !== accountId) return fail(missing, run);
  const handler = new RevokeAnyAccessTokenHandler(run.ports.runner);
  try {
    await handler.execute(new RevokeAnyAccessTokenCommand(operator, tokenId, { correlation: randomUUID() }));
  } catch (error) {
    if (!(error instanceof DomainError && error.code === 'access-token-not-found')) throw error;
    return fail(missing, run);
  }
  await run.output.out(`revoked the access token ${tokenId} of ${quoted(username)}`);
  return DONE;
}

async function fail(reason: string, { output }: CommandRun): Promise<ExitCode> {
  await output.err(reason);
  return FAILED;
}

function shown({ tokenId, name, scopes, createdAt, expiresAt, lastUsedAt, isExpired }: ListedAccessToken) {
  return {
    id: tokenId,
    name,
    scopes,
    created: timeText(createdAt),
    expires: expiresAt === null ? null : timeText(expiresAt),
    lastUsed: lastUsedAt === undefined ? null : timeText(lastUsedAt * 1000),
    expired: isExpired,
  };
}

function* linesOf({ id, name, scopes, created, expires, lastUsed, expired }: ReturnType<typeof shown>) {
  yield `${id}  ${quoted(name)}${expired ? ' (expired)' : ''}`;
  yield `  scopes     ${scopes.join(', ')}`;
  yield `  created    ${created}`;
  yield `  expires    ${expires ?? 'never'}`;
  yield `  last used  ${lastUsed ?? 'never'}`;
}

const timeText = (at: number) => new Date(at).toISOString();

/** Escapes line breaks and control characters. */
const quoted = (text: string) => JSON.stringify(text);
