import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { accountStream } from '@keyfold/projections';
import { actorOf, type Caller } from '../caller/caller.js';
import { CommandRunner, type Origin } from '../command-runner.js';

/** Deletes an account in one commit; its keys and sessions end with it, because every answer about them looks at the account. */
export class DeleteAccount extends Command<void> {
  constructor(
    readonly caller: Caller,
    readonly accountId: number,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(DeleteAccount)
export class DeleteAccountHandler implements ICommandHandler<DeleteAccount> {
  constructor(private readonly commands: CommandRunner) {}

  async execute({ caller, accountId, origin }: DeleteAccount): Promise<void> {
    const context = { actor: actorOf(caller), ...origin };
    await this.commands.run(accountStream(accountId), { type: 'DeleteAccount' }, context);
  }
}
