import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { appPasswordsStream } from '@keyfold/projections';
import { actorOf, requireAppPasswordHolder, type Caller } from '../caller/caller.js';
import { CommandRunner } from '../command-runner.js';
import type { Origin } from '../origin.js';

/** Revokes an app password of the caller. One of another account is refused like a nonexistent one. */
export class RevokeOwnAppPasswordCommand extends Command<void> {
  constructor(
    readonly caller: Caller,
    readonly appPasswordId: number,
    readonly origin: Origin,
  ) {
    super();
  }
}

/** @throws `guest-has-no-app-passwords`, `app-password-session-required` or `app-password-not-found`. */
@CommandHandler(RevokeOwnAppPasswordCommand)
export class RevokeOwnAppPasswordHandler implements ICommandHandler<RevokeOwnAppPasswordCommand> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ caller, appPasswordId, origin }: RevokeOwnAppPasswordCommand): Promise<void> {
    requireAppPasswordHolder(caller);
    const ref = appPasswordsStream(caller.account.accountId);
    await this.runner.run(ref, { type: 'RevokeAppPassword', appPasswordId }, { actor: actorOf(caller), ...origin });
  }
}
