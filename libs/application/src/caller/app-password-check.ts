import { Injectable } from '@nestjs/common';
import {
  grantsProtocol,
  isFormerKept,
  isSecretExpired,
  type AppPassword,
  type FormerAppPassword,
  type LoginProtocol,
} from '@keyfold/domain';
import { appPasswordsStream, StreamLoader } from '@keyfold/projections';
import { isSameSecretHash } from '@keyfold/security';
import { Clock } from '../commands/clock.js';
import type { Origin } from '../origin.js';
import { SecurityLog } from '../security-log/security-log.js';
import { appPasswordRefused } from '../security-log/token-events.js';
import { TokenActivity } from './token-activity.js';

/**
 * - `accepted`: an app password of the account for the protocol
 * - `not permitted`: it is one, but the account may not enter
 * - `refused`: it has expired, is for another protocol, or ended within 90 days
 * - `unknown`: the account has no such app password
 */
export type AppPasswordOutcome = 'accepted' | 'not permitted' | 'refused' | 'unknown';

/** Checks the app passwords that file servers send, against the current events of the account. It does not load the account. */
@Injectable()
export class AppPasswordCheck {
  constructor(
    private readonly loader: StreamLoader,
    private readonly clock: Clock,
    private readonly activity: TokenActivity,
    private readonly security: SecurityLog,
  ) {}

  /**
   * Looks up the app password of the account with this hash. Records the use of an accepted one, and reports a refused one to the security log.
   * Takes one round trip and no Argon2 hash.
   */
  async check(
    accountId: number,
    hash: string,
    { protocol, mayEnter, origin }: Readonly<{ protocol: LoginProtocol; mayEnter: boolean; origin: Origin }>,
  ): Promise<AppPasswordOutcome> {
    const [{ state }] = await this.loader.load(appPasswordsStream(accountId));
    const now = this.clock.now();
    // Compares with each of the at most 200, so that the time does not depend on which one it is.
    const [secret] = withHash(hash, state.secrets);
    const [former] = withHash(hash, state.former);
    const isValid = secret && !isSecretExpired(secret, now) && grantsProtocol(secret.protocol, protocol);
    if (isValid && mayEnter) {
      this.activity.usedSecret('app-password', secret);
      return 'accepted';
    }
    const refused = secret ?? (former && isFormerKept(former, now) ? former : undefined);
    if (!refused) return 'unknown';
    this.security.report(appPasswordRefused(accountId, refused.id, origin));
    return isValid ? 'not permitted' : 'refused';
  }
}

const withHash = <Item extends AppPassword | FormerAppPassword>(hash: string, items: readonly Item[]): Item[] =>
  items.filter((each) => isSameSecretHash(each.hash, hash));
