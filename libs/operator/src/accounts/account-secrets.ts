import {
  accessTokenKind,
  appPasswordKind,
  isoTime,
  listSecrets,
  operator,
  RevokeAnySecretCommand,
  TokenActivity,
  type ListedSecret,
  type SecretKind,
} from '@keyfold/application';
import { accountOfSecret, DomainError } from '@keyfold/domain';
import { DONE, type ExitCode } from '@keyfold/process';
import { newOrigin, type CommandRun } from '../command-run.js';
import { counted, quoted } from '../output/printable.js';
import { fieldsOf } from '../output/table.js';
import { changeAccount, onAccount } from './named-account.js';

type Args = Readonly<{ username: string; revoke?: number | undefined; json: boolean }>;
type Details = Readonly<{ scopes?: readonly string[]; protocol?: string }>;

/** Shows the access tokens of an account, or revokes the one with the id `revoke`. */
export const accountTokens = (args: Args, run: CommandRun) =>
  showOrRevoke(accessTokenKind, 'access token', ({ scopes }) => ({ scopes }), args, run);

/** Shows the app passwords of an account, or revokes the one with the id `revoke`. */
export const accountAppPasswords = (args: Args, run: CommandRun) =>
  showOrRevoke(appPasswordKind, 'app password', ({ protocol }) => ({ protocol }), args, run);

/** `detailsOf` returns the fields that only this kind of secret has. */
function showOrRevoke<Kind>(
  kind: SecretKind<Kind>,
  noun: string,
  detailsOf: (secret: ListedSecret<Kind>) => Details,
  { username, revoke: id, json }: Args,
  run: CommandRun,
): Promise<ExitCode> {
  const { ports, output } = run;
  if (id !== undefined)
    return changeAccount(username, run, async (account) => {
      if (accountOfSecret(id) !== account.accountId) throw new DomainError(`${kind.name}-not-found`);
      await ports.commands.execute(new RevokeAnySecretCommand(kind, operator, id, newOrigin()));
      return `revoked the ${noun} ${id} of ${quoted(account.username)}`;
    });
  return onAccount(username, run, async (account) => {
    const [{ state }] = await ports.loader.load(kind.streamOf(account.accountId));
    const activity = new TokenActivity(ports.tokenUses, ports.clock);
    for (const secret of await listSecrets(kind, state.secrets, activity, ports.clock.now())) {
      const shown = shownOf(secret, detailsOf(secret));
      for (const line of json ? [JSON.stringify(shown)] : linesOf(shown)) await output.out(line);
    }
    if (!json) await output.out(`${counted(state.secrets.length, noun)} of ${quoted(account.username)}`);
    return DONE;
  });
}

/** Returns a secret as programs read it: times are ISO 8601 timestamps, null for never. */
const shownOf = (
  { id, name, createdAt, expiresAt, lastUsedAt, isExpired }: ListedSecret<unknown>,
  details: Details,
) => ({
  id,
  name,
  ...details,
  created: isoTime(createdAt),
  expires: expiresAt === null ? null : isoTime(expiresAt),
  lastUsed: lastUsedAt === undefined ? null : isoTime(lastUsedAt * 1000),
  expired: isExpired,
});

const linesOf = ({ id, name, scopes, protocol, created, expires, lastUsed, expired }: ReturnType<typeof shownOf>) =>
  fieldsOf(`${id}  ${name}`, {
    ...(scopes && { scopes: scopes.join(', ') }),
    ...(protocol !== undefined && { protocol }),
    created,
    [expired ? 'expired' : 'expires']: expires ?? 'never',
    'last used': lastUsed ?? 'never',
  });
