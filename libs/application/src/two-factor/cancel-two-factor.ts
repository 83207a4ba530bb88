import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { accountStream } from '@keyfold/projections';
import { actorOf, type Administrator } from '../caller/caller.js';
import { CommandRunner, type Origin } from '../command-runner.js';

/** An administrator turns two-factor off for an account, which also lifts a lock; nothing happens where it is off. */
export class CancelTwoFactor extends Command<void> {
  constructor(
    readonly caller: Administrator,
    readonly accountId: number,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(CancelTwoFactor)
export class CancelTwoFactorHandler implements ICommandHandler<CancelTwoFactor> {
  constructor(private readonly commands: CommandRunner) {}

  async execute({ caller, accountId, origin }: CancelTwoFactor): Promise<void> {
    const context = { actor: actorOf(caller), ...origin };
    await this.commands.run(accountStream(accountId), { type: 'DisableTwoFactor' }, context);
  }
}
