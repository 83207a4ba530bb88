import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Caller } from '../caller/caller.js';
import type { Origin } from '../origin.js';
import { SessionEnding } from './session-ending.js';

/** Evicts a session of any account on behalf of an administrator. Does nothing if it has ended. */
export class EndAnySessionCommand extends Command<void> {
  constructor(
    readonly caller: Caller,
    readonly sessionId: string,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(EndAnySessionCommand)
export class EndAnySessionHandler implements ICommandHandler<EndAnySessionCommand> {
  constructor(private readonly ending: SessionEnding) {}

  async execute({ caller, sessionId, origin }: EndAnySessionCommand): Promise<void> {
    await this.ending.evict(caller, sessionId, origin);
  }
}
