import { Injectable } from '@nestjs/common';
import { accessTokensStream, appPasswordsStream, StreamLoader } from '@keyfold/projections';
import { Clock } from '../commands/clock.js';
import { CommandRunner, type CommandContext } from '../commands/command-runner.js';
import { withoutCommandId } from '../origin.js';

/** Revokes everything that works for an account without a login. */
@Injectable()
export class SecretRevocation {
  constructor(
    private readonly runner: CommandRunner,
    private readonly loader: StreamLoader,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes a change of the account, then revokes all access tokens in one commit and all app passwords in another. If the change ends the sessions,
   * a creation that one of them has begun comes to nothing (`CreateOwnSecretHandler`).
   *
   * After a failure in between, the caller repeats the request. For this reason its command id belongs to the last commit only.
   */
  async after(
    accountId: number,
    context: CommandContext,
    change: (context: CommandContext) => Promise<unknown>,
  ): Promise<void> {
    const [tokens, passwords] = [accessTokensStream(accountId), appPasswordsStream(accountId)];
    const owned = await this.loader.load(tokens, passwords);
    const last = owned.findLastIndex(({ state }) => state.secrets.length > 0);
    const earlier = withoutCommandId(context);
    const now = this.clock.now();
    await change(last === -1 ? context : earlier);
    await this.runner.run(tokens, { type: 'RevokeAllAccessTokens', now }, last === 0 ? context : earlier);
    await this.runner.run(passwords, { type: 'RevokeAllAppPasswords', now }, last === 1 ? context : earlier);
  }
}
