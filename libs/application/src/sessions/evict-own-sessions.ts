import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { accountStream } from '@keyfold/projections';
import { actorOf, proofOf, requireSessionHolder, type Caller } from '../caller/caller.js';
import { CommandRunner } from '../command-runner.js';
import type { Origin } from '../origin.js';

/** Evicts all sessions of the caller's account except the caller's own, in one commit. */
export class EvictOwnSessionsCommand extends Command<void> {
  constructor(
    readonly caller: Caller,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(EvictOwnSessionsCommand)
export class EvictOwnSessionsHandler implements ICommandHandler<EvictOwnSessionsCommand> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ caller, origin }: EvictOwnSessionsCommand): Promise<void> {
    requireSessionHolder(caller);
    const command = { type: 'EvictSessions', ...proofOf(caller), kept: caller.sessionId ?? null } as const;
    await this.runner.run(accountStream(caller.account.accountId), command, { actor: actorOf(caller), ...origin });
  }
}
