import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { accountOfAccessToken } from '@keyfold/domain';
import { accessTokensStream } from '@keyfold/projections';
import { actorOf, type Administrator } from '../caller/caller.js';
import { CommandRunner } from '../command-runner.js';
import type { Origin } from '../origin.js';

/** Revokes an access token of any account on behalf of an administrator. */
export class RevokeAnyAccessTokenCommand extends Command<void> {
  constructor(
    readonly caller: Administrator,
    readonly tokenId: number,
    readonly origin: Origin,
  ) {
    super();
  }
}

/** @throws `access-token-not-found`. */
@CommandHandler(RevokeAnyAccessTokenCommand)
export class RevokeAnyAccessTokenHandler implements ICommandHandler<RevokeAnyAccessTokenCommand> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ caller, tokenId, origin }: RevokeAnyAccessTokenCommand): Promise<void> {
    const ref = accessTokensStream(accountOfAccessToken(tokenId));
    await this.runner.run(ref, { type: 'RevokeAccessToken', tokenId }, { actor: actorOf(caller), ...origin });
  }
}
