import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Administrator } from '../caller/caller.js';
import type { Origin } from '../origin.js';
import { SessionEnding } from './session-ending.js';

/**
 * Evicts a session of any account on behalf of an administrator. Does nothing if it has ended. With `owner`, a session of another account
 * is refused.
 */
export class EndAnySessionCommand extends Command<void> {
  constructor(
    readonly caller: Administrator,
    readonly sessionId: string,
    readonly origin: Origin,
    readonly owner?: number,
  ) {
    super();
  }
}

@CommandHandler(EndAnySessionCommand)
export class EndAnySessionHandler implements ICommandHandler<EndAnySessionCommand> {
  constructor(private readonly ending: SessionEnding) {}

  async execute({ caller, sessionId, origin, owner }: EndAnySessionCommand): Promise<void> {
    await this.ending.evict(caller, sessionId, origin, owner);
  }
}
