import { Command, CommandHandler, Query, QueryHandler, type ICommandHandler, type IQueryHandler } from '@nestjs/cqrs';
import { accountStream, sessionStream } from '@keyfold/projections';
import { contextOf, proofOf, refuseGuest, type Caller } from '../caller/caller.js';
import { CallerCommand } from '../caller/caller-command.js';
import { CommandRunner } from '../commands/command-runner.js';
import type { Origin } from '../origin.js';
import { AccountSessions, type ListedSession } from './account-sessions.js';
import { SessionEnding } from './session-ending.js';

/** Lists the sessions with which the caller's account can be used now, the latest login first; at most 1,000. */
export class ListOwnSessionsQuery extends Query<readonly ListedSession[]> {
  constructor(readonly caller: Caller) {
    super();
  }
}

@QueryHandler(ListOwnSessionsQuery)
export class ListOwnSessionsHandler implements IQueryHandler<ListOwnSessionsQuery> {
  constructor(private readonly sessions: AccountSessions) {}

  async execute({ caller }: ListOwnSessionsQuery): Promise<readonly ListedSession[]> {
    refuseGuest(caller, 'guest-has-no-sessions');
    const listed = await this.sessions.list(caller.account, caller.sessionId);
    return listed.filter(({ works }) => works);
  }
}

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
    refuseGuest(caller, 'guest-has-no-sessions');
    await this.ending.evict(caller, sessionId, origin, caller.account.accountId);
  }
}

/** Evicts all sessions of the caller's account except the caller's own, in one commit. */
export class EvictOwnSessionsCommand extends CallerCommand {}

@CommandHandler(EvictOwnSessionsCommand)
export class EvictOwnSessionsHandler implements ICommandHandler<EvictOwnSessionsCommand> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ caller, origin }: EvictOwnSessionsCommand): Promise<void> {
    refuseGuest(caller, 'guest-has-no-sessions');
    const command = { type: 'EvictSessions', ...proofOf(caller), kept: caller.sessionId ?? null } as const;
    await this.runner.run(accountStream(caller.account.accountId), command, contextOf(caller, origin));
  }
}

/** Ends the caller's session. Does nothing for the guest and the static token, which have none. */
export class LogOutCommand extends CallerCommand {}

@CommandHandler(LogOutCommand)
export class LogOutHandler implements ICommandHandler<LogOutCommand> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ caller, origin }: LogOutCommand): Promise<void> {
    const { sessionId, account } = caller;
    if (sessionId === undefined) return;
    const command = { type: 'EndSession', reason: 'logout' } as const;
    await this.runner.run(sessionStream(sessionId, account.accountId), command, contextOf(caller, origin));
  }
}
