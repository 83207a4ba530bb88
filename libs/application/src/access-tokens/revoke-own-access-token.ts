import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { accessTokensStream } from '@keyfold/projections';
import { actorOf, requireTokenHolder, type Caller } from '../caller/caller.js';
import { CommandRunner } from '../command-runner.js';
import type { Origin } from '../origin.js';

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
    await this.runner.run(ref, { type: 'RevokeAccessToken', tokenId }, { actor: actorOf(caller), ...origin });
  }
}
