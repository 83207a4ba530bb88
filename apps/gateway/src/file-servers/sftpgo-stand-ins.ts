import { createHmac, randomBytes } from 'node:crypto';

/** The number of stand-ins. SFTPGo stores each, so they are few; the throttle counts by their names, so they are not fewer. */
const STAND_INS = 256;

/**
 * Names users who stand in for those who must not come in. Before its first prompt, SFTPGo asks for a user, and without one it refuses at once,
 * which would reveal the names of accounts to everybody. Which names share a stand-in cannot be predicted.
 */
export class SftpgoStandIns {
  readonly #key = randomBytes(32);

  /** Returns the same stand-in for the same name, until the process ends. */
  nameFor(username: string): string {
    const digest = createHmac('sha256', this.#key).update(username).digest();
    return `keyfold-nobody-${digest.readUInt32BE() % STAND_INS}`;
  }
}
