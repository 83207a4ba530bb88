import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { sessionStream } from '@keyfold/projections';
import { actorOf, type Caller } from '../caller/caller.js';
import { CommandRunner, type Origin } from '../command-runner.js';

/** Ends the session that the request came with; the guest and the static token have none, and nothing happens. */
export class LogOut extends Command<void> {
  constructor(
    readonly caller: Caller,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(LogOut)
export class LogOutHandler implements ICommandHandler<LogOut> {
  constructor(private readonly commands: CommandRunner) {}

  async execute({ caller, origin }: LogOut): Promise<void> {
    const { sessionId, account } = caller;
    if (sessionId === undefined) return;
    const context = { actor: actorOf(caller), ...origin };
    const command = { type: 'EndSession', reason: 'logout' } as const;
    await this.commands.run(sessionStream(sessionId, account.accountId), command, context);
  }
}
