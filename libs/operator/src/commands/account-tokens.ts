import {
  listAccessTokens,
  operator,
  RevokeAnyAccessTokenCommand,
  RevokeAnyAccessTokenHandler,
  TokenActivity,
  type ListedAccessToken,
} from '@keyfold/application';
import { accountOfAccessToken, DomainError, type Account } from '@keyfold/domain';
import { DONE, type ExitCode } from '@keyfold/process';
import { accessTokensStream } from '@keyfold/projections';
import { counted } from '../output/counted.js';
import { fieldsOf } from '../output/fields.js';
import { quoted } from '../output/printable.js';
import { secretTimeFields, secretTimes } from '../output/secret-times.js';
import { changeAccount, onAccount } from './named-account.js';
import { newOrigin } from './new-origin.js';
import type { CommandRun } from './operator-ports.js';

/** Shows the access tokens of an account, or revokes the one with the id `revoke`. */
export function accountTokens(
  { username, revoke, json }: { username: string; revoke?: number | undefined; json: boolean },
  run: CommandRun,
): Promise<ExitCode> {
  if (revoke !== undefined) return changeAccount(username, run, (account) => revokeToken(account, revoke, run));
  return onAccount(username, run, (account) => showTokens(account, json, run));
}

async function showTokens(account: Account, json: boolean, { ports, output }: CommandRun): Promise<ExitCode> {
  const [{ state }] = await ports.loader.load(accessTokensStream(account.accountId));
  const activity = new TokenActivity(ports.tokenUses, ports.clock);
  const tokens = (await listAccessTokens(state.tokens, activity, ports.clock.now())).map(shown);
  for (const token of tokens)
    for (const line of json ? [JSON.stringify(token)] : linesOf(token)) await output.out(line);
  if (!json) await output.out(`${counted(tokens.length, 'access token')} of ${quoted(account.username)}`);
  return DONE;
}

/** Revokes a token of this account, and refuses one of another. */
async function revokeToken({ accountId, username }: Account, tokenId: number, { ports }: CommandRun): Promise<string> {
  if (accountOfAccessToken(tokenId) !== accountId) throw new DomainError('access-token-not-found');
  const handler = new RevokeAnyAccessTokenHandler(ports.runner);
  await handler.execute(new RevokeAnyAccessTokenCommand(operator, tokenId, newOrigin()));
  return `revoked the access token ${tokenId} of ${quoted(username)}`;
}

const shown = (token: ListedAccessToken) => ({
  id: token.tokenId,
  name: token.name,
  scopes: token.scopes,
  ...secretTimes(token),
});

const linesOf = ({ id, name, scopes, ...times }: ReturnType<typeof shown>) =>
  fieldsOf(`${id}  ${name}`, { scopes: scopes.join(', '), ...secretTimeFields(times) });
