import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { requireSessionHolder, type Caller } from '../caller/caller.js';
import type { Origin } from '../origin.js';
import { SessionEnding } from './session-ending.js';

/** Evicts one session of the caller's account; it may be the caller's own. Does nothing if it has ended. */
export class EndOwnSessionCommand extends Command<void> {
  constructor(
    readonly caller: Caller,
    readonly sessionId: string,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(EndOwnSessionCommand)
export class EndOwnSessionHandler implements ICommandHandler<EndOwnSessionCommand> {
  constructor(private readonly ending: SessionEnding) {}

  async execute({ caller, sessionId, origin }: EndOwnSessionCommand): Promise<void> {
    requireSessionHolder(caller);
    await this.ending.evict(caller, sessionId, origin, caller.account.accountId);
  }
}
