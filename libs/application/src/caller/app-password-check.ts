import { Injectable } from '@nestjs/common';
import { grantsProtocol, isSecretExpired, type FileProtocol } from '@keyfold/domain';
import { appPasswordsStream, StreamLoader } from '@keyfold/projections';
import { appPasswordHash, isSameSecretHash } from '@keyfold/security';
import { Clock } from '../commands/clock.js';
import type { Origin } from '../origin.js';
import { SecurityLog } from '../security-log/security-log.js';
import { appPasswordRefused } from '../security-log/token-events.js';
import { TokenActivity } from './token-activity.js';

/** The app password that opened a login. */
export type FoundAppPassword = Readonly<{ id: number; name: string }>;

/**
 * Checks the app passwords that file servers send, against the current events of the account. It does not load the account: the caller must
 * refuse accounts that are unknown, deleted or disabled or lack the permission, and must throttle attempts.
 */
@Injectable()
export class AppPasswordCheck {
  constructor(
    private readonly loader: StreamLoader,
    private readonly clock: Clock,
    private readonly activity: TokenActivity,
    private readonly security: SecurityLog,
  ) {}

  /**
   * Returns the app password of the account with this text, and records its use. If it has expired or is for another protocol, returns nothing
   * and reports it to the security log. Takes one round trip and no Argon2 hash; a text without the form of an app password takes neither.
   */
  async find(
    accountId: number,
    protocol: FileProtocol,
    password: string,
    origin: Origin,
  ): Promise<FoundAppPassword | undefined> {
    const hash = appPasswordHash(password);
    if (hash === undefined) return undefined;
    const [{ state }] = await this.loader.load(appPasswordsStream(accountId));
    // Compares with each of the at most 100, so that the time does not depend on which one it is.
    const [found] = state.secrets.filter((each) => isSameSecretHash(each.hash, hash));
    if (!found) return undefined;
    const { id, name } = found;
    if (isSecretExpired(found, this.clock.now()) || !grantsProtocol(found.protocol, protocol)) {
      this.security.report(appPasswordRefused(accountId, id, origin));
      return undefined;
    }
    this.activity.usedSecret('app-password', found);
    return { id, name };
  }
}
