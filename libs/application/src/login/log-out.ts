import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { sessionStream } from '@keyfold/projections';
import { actorOf, type Caller } from '../caller/caller.js';
import { CommandRunner } from '../command-runner.js';
import type { Origin } from '../origin.js';

/** Ends the caller's session. Does nothing for the guest and the static token, which have none. */
export class LogOutCommand extends Command<void> {
  constructor(
    readonly caller: Caller,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(LogOutCommand)
export class LogOutHandler implements ICommandHandler<LogOutCommand> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ caller, origin }: LogOutCommand): Promise<void> {
    const { sessionId, account } = caller;
    if (sessionId === undefined) return;
    const context = { actor: actorOf(caller), ...origin };
    const command = { type: 'EndSession', reason: 'logout' } as const;
    await this.runner.run(sessionStream(sessionId, account.accountId), command, context);
  }
}
