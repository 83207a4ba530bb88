import { readUsernameHold, usernameHoldPrefix, type NameClaim } from '@keyfold/domain';
import { EventStore } from '@keyfold/event-store';
import { createHash } from 'node:crypto';

/** Who holds which user name, at its true state: read from the holds, never from a list. */
export class UserNames {
  constructor(private readonly store: EventStore) {}

  /** The account that holds the name now. */
  async find(username: string): Promise<number | undefined> {
    const last = await this.store.findLastHold(usernameHoldPrefix(nameHash(username)));
    if (!last || readUsernameHold(last.key).released) return undefined;
    return Number(last.stream.slice('account-'.length));
  }

  /** The name as an account can ask for it: with the turn that is free next. */
  async claim(username: string): Promise<NameClaim> {
    const hash = nameHash(username);
    const last = await this.store.findLastHold(usernameHoldPrefix(hash));
    if (!last) return { username, nameHash: hash, turn: 1 };
    const { turn, released } = readUsernameHold(last.key);
    return { username, nameHash: hash, turn: released ? turn + 1 : 'taken' };
  }
}

/** Hex SHA-256 of the exact name: names are compared letter by letter. */
export const nameHash = (username: string) =>
  createHash('sha256')
    .update(username.isWellFormed() ? username : Buffer.from(username, 'utf16le'))
    .digest('hex');
