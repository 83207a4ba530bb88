import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { accountOfAppPassword } from '@keyfold/domain';
import { appPasswordsStream } from '@keyfold/projections';
import { actorOf, type Administrator } from '../caller/caller.js';
import { CommandRunner } from '../command-runner.js';
import type { Origin } from '../origin.js';

/** Revokes an app password of any account on behalf of an administrator. */
export class RevokeAnyAppPasswordCommand extends Command<void> {
  constructor(
    readonly caller: Administrator,
    readonly appPasswordId: number,
    readonly origin: Origin,
  ) {
    super();
  }
}

/** @throws `app-password-not-found`. */
@CommandHandler(RevokeAnyAppPasswordCommand)
export class RevokeAnyAppPasswordHandler implements ICommandHandler<RevokeAnyAppPasswordCommand> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ caller, appPasswordId, origin }: RevokeAnyAppPasswordCommand): Promise<void> {
    const ref = appPasswordsStream(accountOfAppPassword(appPasswordId));
    await this.runner.run(ref, { type: 'RevokeAppPassword', appPasswordId }, { actor: actorOf(caller), ...origin });
  }
}
