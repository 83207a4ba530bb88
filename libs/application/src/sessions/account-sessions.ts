import { Injectable } from '@nestjs/common';
import { sessionRefusal, type Account, type Session } from '@keyfold/domain';
import { ReadModelStore, sessions, sessionStream, StreamLoader } from '@keyfold/projections';
import { setImmediate as otherWork } from 'node:timers/promises';
import { TokenActivity } from '../caller/token-activity.js';
import { Clock } from '../commands/clock.js';

/** A session as lists show it. `works` is false if its account is disabled or deleted, or ended it by a change of its own. */
export type ListedSession = Readonly<{
  session: Session;
  username: string;
  /** In unix seconds, possibly some minutes too early. */
  lastActive: number;
  works: boolean;
  isCurrent: boolean;
}>;

/** Returns the list entry of a session. `current` is the session of the caller, if there is one. */
export function listedSession(
  session: Session,
  { account, lastActive, current }: Readonly<{ account: Account; lastActive: number; current: string | undefined }>,
): ListedSession {
  const { sessionId, generation } = session;
  return {
    session,
    username: account.username,
    lastActive,
    works: account.status === 'active' && !account.disabled && isCurrent(account, sessionId, generation),
    isCurrent: sessionId === current,
  };
}

const isCurrent = (account: Account, session: string, generation: number) =>
  sessionRefusal(account, { generation, session }) === undefined;

/** Maximum number of sessions in the list of one account. */
export const MOST_SESSIONS = 1_000;
const LOADED_TOGETHER = 100;

/** Lists the sessions of one account by their current state. `ListUpdates` writes the entries. */
@Injectable()
export class AccountSessions {
  constructor(
    private readonly readModels: ReadModelStore,
    private readonly loader: StreamLoader,
    private readonly activity: TokenActivity,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the sessions that have neither ended nor expired, the latest login first; at most 1,000 and `current`, the session of the
   * caller, if there is one.
   */
  async list(account: Account, current?: string): Promise<readonly ListedSession[]> {
    const now = this.clock.now() / 1000;
    const found = await this.#sessionIds(account.accountId, now, current);
    const running = (await this.#load(found, account.accountId)).filter(
      ({ status, expiresAt }) => status === 'active' && expiresAt > now,
    );
    const lastUses = await this.activity.lastUses(running);
    return running
      .map((session, index) => listedSession(session, { account, lastActive: lastUses[index]!, current }))
      .toSorted((a, b) => b.session.startedAt - a.session.startedAt);
  }

  /** Loads in batches: on SQLite a read does not wait, and a thousand of them would keep all other requests waiting. */
  async #load(sessionIds: readonly string[], accountId: number): Promise<Session[]> {
    const states: Session[] = [];
    for (let from = 0; from < sessionIds.length; from += LOADED_TOGETHER) {
      if (from > 0) await otherWork();
      const refs = sessionIds.slice(from, from + LOADED_TOGETHER).map((id) => sessionStream(id, accountId));
      states.push(...(await this.loader.load(...refs)).map(({ state }) => state));
    }
    return states;
  }

  /** Returns the current session and the others in the read model, which may contain some that have just ended. */
  async #sessionIds(accountId: number, now: number, current: string | undefined): Promise<string[]> {
    const unexpired = { after: Math.floor(now), partition: String(accountId) };
    const { items } = await this.readModels.listUnexpired(sessions, unexpired, 0, MOST_SESSIONS);
    const ids = items.map(({ sessionId }) => sessionId);
    return current === undefined || ids.includes(current) ? ids : [current, ...ids];
  }
}
