import { Injectable } from '@nestjs/common';
import type { NamedSecret, SecretKindName, Session } from '@keyfold/domain';
import { TokenUses } from '@keyfold/projections';
import { LRUCache } from 'lru-cache';
import { Clock } from '../commands/clock.js';

/** How long to wait between two records of a token, in seconds. */
const INTERVAL = 300;
/** Tokens beyond this number may be recorded more often. */
const MOST_TOKENS = 50_000;
/** How long the last use of an access token or app password that never expires stays recorded, in seconds: ten years. */
const KEPT = 3_653 * 86_400;

/**
 * Records when the tokens of sessions, access tokens and app passwords are used, at most once per token, interval and thread. It is no event, because
 * that would make every request a write. A record that fails is lost.
 */
@Injectable()
export class TokenActivity {
  /** When each token was last recorded, in unix seconds. */
  readonly #recorded = new LRUCache<string, number>({ max: MOST_TOKENS });

  constructor(
    private readonly uses: TokenUses,
    private readonly clock: Clock,
  ) {}

  /** Notes that a request used the session now. Neither waits nor throws. */
  used({ sessionId, startedAt, expiresAt }: Session): void {
    this.#used(sessionId, startedAt, expiresAt);
  }

  /** Notes that a request used the access token, or a login the app password, now. Neither waits nor throws. */
  usedSecret(kind: SecretKindName, { id, expiresAt }: NamedSecret): void {
    this.#used(`${kind}-${id}`, 0, inSeconds(expiresAt));
  }

  /** Returns when each session was last used, in unix seconds; a session without a record, when it started. */
  async lastUses(sessions: readonly Session[]): Promise<number[]> {
    const recorded = await this.uses.lastUses(sessions.map(({ sessionId }) => sessionId));
    return sessions.map(({ sessionId, startedAt }) => recorded.get(sessionId) ?? startedAt);
  }

  /** Returns when each secret was last used, in unix seconds, by its id. Secrets without a record are missing. */
  async lastUsesOfSecrets(kind: SecretKindName, secrets: readonly NamedSecret[]): Promise<ReadonlyMap<number, number>> {
    const recorded = await this.uses.lastUses(secrets.map(({ id }) => `${kind}-${id}`));
    return new Map([...recorded].map(([name, at]) => [Number(name.slice(kind.length + 1)), at]));
  }

  #used(token: string, since: number, expiresAt: number | undefined): void {
    const now = Math.floor(this.clock.now() / 1000);
    if (now - (this.#recorded.get(token) ?? since) < INTERVAL) return;
    this.#recorded.set(token, now);
    this.uses.record({ token, at: now, until: expiresAt ?? now + KEPT }).catch(() => undefined);
  }
}

/** Returns an expiry in unix seconds; undefined if there is none. */
const inSeconds = (expiresAt: number | null) => (expiresAt === null ? undefined : Math.ceil(expiresAt / 1000));
