import type { Session } from '@keyfold/domain';
import type { SessionUses } from '@keyfold/projections';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.js';

/** How long to wait between two records of a session, in seconds. */
const INTERVAL = 300;
/** Sessions beyond this number may be recorded more often. */
const MOST_SESSIONS = 50_000;

/**
 * Records when sessions are used, at most once per session, interval and thread. It is no event, because that would make every request a
 * write. A record that fails is lost.
 */
export class SessionActivity {
  /** When each session was last recorded, in unix seconds. */
  readonly #recorded = new LRUCache<string, number>({ max: MOST_SESSIONS });

  constructor(
    private readonly uses: SessionUses,
    private readonly clock: Clock,
  ) {}

  /** Notes that a request used the session now. Neither waits nor throws. */
  used({ sessionId, startedAt, expiresAt }: Session): void {
    const now = Math.floor(this.clock.now() / 1000);
    if (now - (this.#recorded.get(sessionId) ?? startedAt) < INTERVAL) return;
    this.#recorded.set(sessionId, now);
    this.uses.record({ session: sessionId, at: now, until: expiresAt }).catch(() => undefined);
  }

  /** Returns when each session was last used, in unix seconds; a session without a record, when it started. */
  async lastUses(sessions: readonly Session[]): Promise<number[]> {
    const recorded = await this.uses.lastUses(sessions.map(({ sessionId }) => sessionId));
    return sessions.map(({ sessionId, startedAt }) => recorded.get(sessionId) ?? startedAt);
  }
}
