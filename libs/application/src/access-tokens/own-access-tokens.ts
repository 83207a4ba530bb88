import { Command, CommandHandler, Query, QueryHandler, type ICommandHandler, type IQueryHandler } from '@nestjs/cqrs';
import { DomainError, isAdminScope, type AccessToken, type AccessTokenScope } from '@keyfold/domain';
import { accessTokensStream, StreamLoader } from '@keyfold/projections';
import { accessTokenText, newAccessTokenSecret } from '@keyfold/security';
import { actorOf, isAdmin, requireTokenHolder, type Caller } from '../caller/caller.js';
import { TokenActivity } from '../caller/token-activity.js';
import { Clock } from '../clock.js';
import { CommandRunner } from '../command-runner.js';
import { listedSecret, type ListedSecret } from '../named-secrets/secret-lists.js';
import type { Origin } from '../origin.js';

export type ListedAccessToken = ListedSecret<AccessToken>;

/** Returns the list entries of access tokens. `now` is in unix milliseconds. */
export async function listAccessTokens(
  tokens: readonly AccessToken[],
  activity: TokenActivity,
  now: number,
): Promise<ListedAccessToken[]> {
  const lastUses = await activity.lastUsesOfSecrets('access-token', tokens);
  return tokens.map((token, index) => listedSecret(token, lastUses[index], now));
}

/** The fields of a new access token. `expiresAt` is in unix milliseconds, or null for a token that never expires. */
export type AccessTokenInput = Readonly<{
  name: string;
  scopes: readonly AccessTokenScope[];
  expiresAt: number | null;
}>;

/** A new access token with its text, which is not stored. */
export type NewAccessToken = ListedAccessToken & Readonly<{ text: string }>;

/** Creates an access token of the caller's account, with a session. */
export class CreateOwnAccessTokenCommand extends Command<NewAccessToken> {
  constructor(
    readonly caller: Caller,
    readonly input: AccessTokenInput,
    readonly origin: Origin,
  ) {
    super();
  }
}

/**
 * @throws `guest-has-no-tokens`, `session-required`, `access-token-scope-of-admins`, or a refusal of `CreateAccessToken`.
 */
@CommandHandler(CreateOwnAccessTokenCommand)
export class CreateOwnAccessTokenHandler implements ICommandHandler<CreateOwnAccessTokenCommand> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly clock: Clock,
  ) {}

  async execute({ caller, input, origin }: CreateOwnAccessTokenCommand): Promise<NewAccessToken> {
    requireTokenHolder(caller);
    if (caller.by !== 'session') throw new DomainError('session-required');
    requireGrantable(caller, input.scopes);
    const { accountId } = caller.account;
    const { secret, hash } = newAccessTokenSecret();
    const ref = accessTokensStream(accountId);
    const command = { type: 'CreateAccessToken', accountId, ...input, hash, now: this.clock.now() } as const;
    const { state } = await this.runner.run(ref, command, { actor: actorOf(caller), ...origin });
    const created = state.secrets.at(-1);
    // The request has run before, with another secret.
    if (created?.hash !== hash) throw new DomainError('access-token-not-found');
    return { ...listedSecret(created, undefined, command.now), text: accessTokenText(created.id, secret) };
  }
}

function requireGrantable(caller: Caller, scopes: readonly AccessTokenScope[]): void {
  const refused = isAdmin(caller) ? undefined : scopes.find(isAdminScope);
  if (refused) throw new DomainError('access-token-scope-of-admins', { quoted: refused });
}

/** Lists the caller's access tokens, oldest first, including expired ones that were not revoked. */
export class ListOwnAccessTokensQuery extends Query<readonly ListedAccessToken[]> {
  constructor(readonly caller: Caller) {
    super();
  }
}

/** @throws `guest-has-no-tokens`. */
@QueryHandler(ListOwnAccessTokensQuery)
export class ListOwnAccessTokensHandler implements IQueryHandler<ListOwnAccessTokensQuery> {
  constructor(
    private readonly loader: StreamLoader,
    private readonly activity: TokenActivity,
    private readonly clock: Clock,
  ) {}

  async execute({ caller }: ListOwnAccessTokensQuery): Promise<readonly ListedAccessToken[]> {
    requireTokenHolder(caller);
    const [{ state }] = await this.loader.load(accessTokensStream(caller.account.accountId));
    return listAccessTokens(state.secrets, this.activity, this.clock.now());
  }
}

/** Revokes an access token of the caller. A token of another account is refused like a nonexistent one. */
export class RevokeOwnAccessTokenCommand extends Command<void> {
  constructor(
    readonly caller: Caller,
    readonly tokenId: number,
    readonly origin: Origin,
  ) {
    super();
  }
}

/** @throws `guest-has-no-tokens` or `access-token-not-found`. */
@CommandHandler(RevokeOwnAccessTokenCommand)
export class RevokeOwnAccessTokenHandler implements ICommandHandler<RevokeOwnAccessTokenCommand> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ caller, tokenId, origin }: RevokeOwnAccessTokenCommand): Promise<void> {
    requireTokenHolder(caller);
    const ref = accessTokensStream(caller.account.accountId);
    await this.runner.run(ref, { type: 'RevokeAccessToken', id: tokenId }, { actor: actorOf(caller), ...origin });
  }
}
