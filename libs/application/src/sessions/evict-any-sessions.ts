import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { accountStream } from '@keyfold/projections';
import { actorOf, type Administrator } from '../caller/caller.js';
import { CommandRunner } from '../command-runner.js';
import { protectAdmins } from '../caller/protect-admins.js';
import type { Origin } from '../origin.js';

/** Evicts all sessions of an account on behalf of an administrator, in one commit. */
export class EvictAnySessionsCommand extends Command<void> {
  constructor(
    readonly caller: Administrator,
    readonly accountId: number,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(EvictAnySessionsCommand)
export class EvictAnySessionsHandler implements ICommandHandler<EvictAnySessionsCommand> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ caller, accountId, origin }: EvictAnySessionsCommand): Promise<void> {
    await protectAdmins(caller, accountId, this.runner);
    const context = { actor: actorOf(caller), ...origin };
    await this.runner.run(accountStream(accountId), { type: 'EvictSessions', kept: null }, context);
  }
}
