import { Injectable } from '@nestjs/common';
import type { AccessToken, AppPassword, Session } from '@keyfold/domain';
import { TokenUses } from '@keyfold/projections';
import { LRUCache } from 'lru-cache';
import { Clock } from '../clock.js';

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

  /** Notes that a request used the access token now. Neither waits nor throws. */
  usedAccessToken({ tokenId, expiresAt }: AccessToken): void {
    this.#used(nameOf(tokenId), 0, inSeconds(expiresAt));
  }

  /** Notes that a login used the app password now. Neither waits nor throws. */
  usedAppPassword({ appPasswordId, expiresAt }: AppPassword): void {
    this.#used(nameOfAppPassword(appPasswordId), 0, inSeconds(expiresAt));
  }

  /** Returns when each session was last used, in unix seconds; a session without a record, when it started. */
  async lastUses(sessions: readonly Session[]): Promise<number[]> {
    const recorded = await this.uses.lastUses(sessions.map(({ sessionId }) => sessionId));
    return sessions.map(({ sessionId, startedAt }) => recorded.get(sessionId) ?? startedAt);
  }

  /** Returns when each access token was last used, in unix seconds; undefined for a token without a record. */
  async lastUsesOfAccessTokens(tokens: readonly AccessToken[]): Promise<(number | undefined)[]> {
    const recorded = await this.uses.lastUses(tokens.map(({ tokenId }) => nameOf(tokenId)));
    return tokens.map(({ tokenId }) => recorded.get(nameOf(tokenId)));
  }

  /** Returns when each app password was last used, in unix seconds; undefined for one without a record. */
  async lastUsesOfAppPasswords(passwords: readonly AppPassword[]): Promise<(number | undefined)[]> {
    const recorded = await this.uses.lastUses(passwords.map(({ appPasswordId }) => nameOfAppPassword(appPasswordId)));
    return passwords.map(({ appPasswordId }) => recorded.get(nameOfAppPassword(appPasswordId)));
  }

  #used(token: string, since: number, expiresAt: number | undefined): void {
    const now = Math.floor(this.clock.now() / 1000);
    if (now - (this.#recorded.get(token) ?? since) < INTERVAL) return;
    this.#recorded.set(token, now);
    this.uses.record({ token, at: now, until: expiresAt ?? now + KEPT }).catch(() => undefined);
  }
}

/** Return the name of an access token and of an app password among all tokens. The ids of sessions are UUIDs. */
const nameOf = (tokenId: number) => `access-token-${tokenId}`;
const nameOfAppPassword = (appPasswordId: number) => `app-password-${appPasswordId}`;

/** Returns an expiry in unix seconds; undefined if there is none. */
const inSeconds = (expiresAt: number | null) => (expiresAt === null ? undefined : Math.ceil(expiresAt / 1000));
