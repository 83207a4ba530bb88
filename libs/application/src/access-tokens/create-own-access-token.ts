import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError, isAdminScope, type AccessTokenScope } from '@keyfold/domain';
import { accessTokensStream, StreamLoader } from '@keyfold/projections';
import { accessTokenText, newAccessTokenSecret } from '@keyfold/security';
import { actorOf, isAdmin, requireTokenHolder, type Caller } from '../caller/caller.js';
import { Clock } from '../clock.js';
import { CommandRunner } from '../command-runner.js';
import { listedSecret } from '../named-secrets/listed-secret.js';
import type { Origin } from '../origin.js';
import type { ListedAccessToken } from './listed-access-token.js';

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
    private readonly loader: StreamLoader,
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
    await this.runner.run(ref, command, { actor: actorOf(caller), ...origin });
    const [{ state }] = await this.loader.load(ref);
    const created = state.tokens.find((token) => token.hash === hash);
    // A concurrent request has revoked it already.
    if (!created) throw new DomainError('access-token-not-found');
    return { ...listedSecret(created, undefined, command.now), text: accessTokenText(created.tokenId, secret) };
  }
}

function requireGrantable(caller: Caller, scopes: readonly AccessTokenScope[]): void {
  const refused = isAdmin(caller) ? undefined : scopes.find(isAdminScope);
  if (refused) throw new DomainError('access-token-scope-of-admins', { quoted: refused });
}
