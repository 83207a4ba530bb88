import {
  isoTime,
  listAccessTokens,
  listAppPasswords,
  operator,
  RevokeAnyAccessTokenCommand,
  RevokeAnyAppPasswordCommand,
  TokenActivity,
  type ListedSecret,
} from '@keyfold/application';
import { accountOfSecret, DomainError, type NamedSecret } from '@keyfold/domain';
import { DONE, type ExitCode } from '@keyfold/process';
import { accessTokensStream, appPasswordsStream } from '@keyfold/projections';
import { newOrigin, type CommandRun, type OperatorPorts } from '../command-run.js';
import { counted, quoted } from '../output/printable.js';
import { fieldsOf } from '../output/table.js';
import { changeAccount, onAccount } from './named-account.js';

type Args = Readonly<{ username: string; revoke?: number | undefined; json: boolean }>;
type Shown = Readonly<{ id: number; name: string; scopes?: readonly string[]; protocol?: string }> & Times;
type Times = ReturnType<typeof timesOf>;

/** A kind of secret of an account, which has a name. */
type SecretKind = Readonly<{
  noun: string;
  refusal: 'access-token-not-found' | 'app-password-not-found';
  revoke(id: number, ports: OperatorPorts): Promise<void>;
  list(accountId: number, activity: TokenActivity, ports: OperatorPorts): Promise<readonly Shown[]>;
}>;

const accessTokens: SecretKind = {
  noun: 'access token',
  refusal: 'access-token-not-found',
  revoke: (id, { commands }) => commands.execute(new RevokeAnyAccessTokenCommand(operator, id, newOrigin())),
  async list(accountId, activity, { loader, clock }) {
    const [{ state }] = await loader.load(accessTokensStream(accountId));
    const tokens = await listAccessTokens(state.secrets, activity, clock.now());
    return tokens.map((each) => ({ id: each.id, name: each.name, scopes: each.scopes, ...timesOf(each) }));
  },
};

const appPasswords: SecretKind = {
  noun: 'app password',
  refusal: 'app-password-not-found',
  revoke: (id, { commands }) => commands.execute(new RevokeAnyAppPasswordCommand(operator, id, newOrigin())),
  async list(accountId, activity, { loader, clock }) {
    const [{ state }] = await loader.load(appPasswordsStream(accountId));
    const passwords = await listAppPasswords(state.secrets, activity, clock.now());
    return passwords.map((each) => ({
      id: each.id,
      name: each.name,
      protocol: each.protocol,
      ...timesOf(each),
    }));
  },
};

/** Shows the access tokens of an account, or revokes the one with the id `revoke`. */
export const accountTokens = (args: Args, run: CommandRun) => showOrRevoke(accessTokens, args, run);

/** Shows the app passwords of an account, or revokes the one with the id `revoke`. */
export const accountAppPasswords = (args: Args, run: CommandRun) => showOrRevoke(appPasswords, args, run);

function showOrRevoke(kind: SecretKind, { username, revoke: id, json }: Args, run: CommandRun): Promise<ExitCode> {
  const { ports, output } = run;
  if (id !== undefined)
    return changeAccount(username, run, async (account) => {
      if (accountOfSecret(id) !== account.accountId) throw new DomainError(kind.refusal);
      await kind.revoke(id, ports);
      return `revoked the ${kind.noun} ${id} of ${quoted(account.username)}`;
    });
  return onAccount(username, run, async (account) => {
    const secrets = await kind.list(account.accountId, new TokenActivity(ports.tokenUses, ports.clock), ports);
    for (const secret of secrets)
      for (const line of json ? [JSON.stringify(secret)] : linesOf(secret)) await output.out(line);
    if (!json) await output.out(`${counted(secrets.length, kind.noun)} of ${quoted(account.username)}`);
    return DONE;
  });
}

type Listed = ListedSecret<NamedSecret>;

/** Returns the times of a secret for programs: ISO 8601 timestamps, null for never. */
const timesOf = ({
  createdAt,
  expiresAt,
  lastUsedAt,
  isExpired,
}: Pick<Listed, 'createdAt' | 'expiresAt' | 'lastUsedAt' | 'isExpired'>) => ({
  created: isoTime(createdAt),
  expires: expiresAt === null ? null : isoTime(expiresAt),
  lastUsed: lastUsedAt === undefined ? null : isoTime(lastUsedAt * 1000),
  expired: isExpired,
});

const linesOf = ({ id, name, scopes, protocol, created, expires, lastUsed, expired }: Shown) =>
  fieldsOf(`${id}  ${name}`, {
    ...(scopes && { scopes: scopes.join(', ') }),
    ...(protocol !== undefined && { protocol }),
    created,
    [expired ? 'expired' : 'expires']: expires ?? 'never',
    'last used': lastUsed ?? 'never',
  });
