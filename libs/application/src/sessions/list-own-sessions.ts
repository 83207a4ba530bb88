import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ReadModelStore, StreamLoader } from '@keyfold/projections';
import { requireSessionHolder, type Caller } from '../caller/caller.js';
import { Clock } from '../clock.js';
import { TokenActivity } from '../caller/token-activity.js';
import { AccountSessions } from './account-sessions.js';
import type { ListedSession } from './listed-session.js';

/** Lists the sessions with which the caller's account can be used now, the latest login first; at most 1,000. */
export class ListOwnSessionsQuery extends Query<readonly ListedSession[]> {
  constructor(readonly caller: Caller) {
    super();
  }
}

@QueryHandler(ListOwnSessionsQuery)
export class ListOwnSessionsHandler implements IQueryHandler<ListOwnSessionsQuery> {
  readonly #sessions: AccountSessions;

  constructor(readModels: ReadModelStore, loader: StreamLoader, activity: TokenActivity, clock: Clock) {
    this.#sessions = new AccountSessions(readModels, loader, activity, clock);
  }

  async execute({ caller }: ListOwnSessionsQuery): Promise<readonly ListedSession[]> {
    requireSessionHolder(caller);
    const listed = await this.#sessions.list(caller.account, caller.sessionId);
    return listed.filter(({ works }) => works);
  }
}
