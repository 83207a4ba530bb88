import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { accountStream } from '@keyfold/projections';
import { actorOf, type Administrator } from '../caller/caller.js';
import { CommandRunner } from '../command-runner.js';
import { protectAdmins } from '../caller/protect-admins.js';
import type { Origin } from '../origin.js';

/** Disables two-factor for an account on behalf of an administrator, and lifts a lock of its code. Does nothing if it is off. */
export class DisableTwoFactorCommand extends Command<void> {
  constructor(
    readonly caller: Administrator,
    readonly accountId: number,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(DisableTwoFactorCommand)
export class DisableTwoFactorHandler implements ICommandHandler<DisableTwoFactorCommand> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ caller, accountId, origin }: DisableTwoFactorCommand): Promise<void> {
    await protectAdmins(caller, accountId, this.runner);
    const context = { actor: actorOf(caller), ...origin };
    await this.runner.run(accountStream(accountId), { type: 'DisableTwoFactor' }, context);
  }
}
