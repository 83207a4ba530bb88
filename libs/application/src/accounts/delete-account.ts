import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { accountStream } from '@keyfold/projections';
import { actorOf, type Administrator } from '../caller/caller.js';
import { CommandRunner } from '../command-runner.js';
import { protectAdmins } from '../caller/protect-admins.js';
import type { Origin } from '../origin.js';

/** Deletes an account in one commit. Its keys and sessions end with it, because every answer about them checks the account. */
export class DeleteAccountCommand extends Command<void> {
  constructor(
    readonly caller: Administrator,
    readonly accountId: number,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(DeleteAccountCommand)
export class DeleteAccountHandler implements ICommandHandler<DeleteAccountCommand> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ caller, accountId, origin }: DeleteAccountCommand): Promise<void> {
    await protectAdmins(caller, accountId, this.runner);
    const context = { actor: actorOf(caller), ...origin };
    await this.runner.run(accountStream(accountId), { type: 'DeleteAccount' }, context);
  }
}
