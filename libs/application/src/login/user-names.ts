import { Injectable } from '@nestjs/common';
import { parseUsernameHold, usernameHold, usernameHoldPrefix, type Account, type NameClaim } from '@keyfold/domain';
import { EventStore, type FoundHold } from '@keyfold/event-store';
import { accountStream, erasuresStream, StreamLoader } from '@keyfold/projections';
import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';

const CACHED_NAMES = 20_000;
const NO_OWNER = 0;

/** Finds the owners of user names. Reads the holds, which are always current, and never a list. */
@Injectable()
export class UserNames {
  /** Owners found by earlier look-ups, by name hash. They are hints: each look-up checks the account itself or the holds. */
  readonly #lastOwners = new LRUCache<string, number>({ max: CACHED_NAMES });

  constructor(
    private readonly store: EventStore,
    private readonly loader: StreamLoader,
  ) {}

  /**
   * Returns the account that has the name. The number of store operations does not reveal whether there is one: a recent name takes one
   * operation, any other name reads the holds and an account, possibly a nonexistent one.
   */
  async accountOf(username: string): Promise<Account | undefined> {
    const hash = nameHash(username);
    const last = this.#lastOwners.get(hash);
    if (last !== undefined && last !== NO_OWNER) {
      const account = await this.#accountIf(last, username);
      if (account) return account;
    }
    const owner = (await this.find(username)) ?? NO_OWNER;
    this.#lastOwners.set(hash, owner);
    if (owner === NO_OWNER && last === NO_OWNER) return undefined;
    return this.#accountIf(owner === NO_OWNER ? nonexistentIdFor(hash) : owner, username);
  }

  /** Returns the owner found by the last look-up of the name. Check the account: it may no longer have the name. */
  lastOwnerOf(username: string): number | undefined {
    const last = this.#lastOwners.get(nameHash(username));
    return last === NO_OWNER ? undefined : last;
  }

  /** Returns the account if it is active and has the name. Then it also holds the name, because no two accounts can have it. */
  async #accountIf(accountId: number, username: string): Promise<Account | undefined> {
    const [{ state }] = await this.loader.load(accountStream(accountId));
    return state.status === 'active' && state.username === username ? state : undefined;
  }

  /** Returns the id of the account that holds the name. */
  async find(username: string): Promise<number | undefined> {
    const last = await this.store.findLastHold(usernameHoldPrefix(nameHash(username)));
    if (!last || parseUsernameHold(last.key).released) return undefined;
    return accountIdOf(last);
  }

  /**
   * Returns the last account that had taken the name at a time in unix milliseconds, or took it next. Check the account: it may not have had the name at
   * that time. Takes as many reads as the number of owners has binary digits, and one for each erased owner that it meets.
   */
  async ownerAt(username: string, at: number): Promise<number | undefined> {
    const hash = nameHash(username);
    let owner = await this.store.findLastHold(usernameHoldPrefix(hash));
    if (!owner) return undefined;
    let [low, high] = [1, parseUsernameHold(owner.key).turn];
    // All turns before the last one have ended, in their order. Those of erased accounts are gone.
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const released = await this.#lastTurnIn(hash, low, middle);
      if (released && released.at > at) [owner, high] = [released, middle];
      else low = middle + 1;
    }
    return accountIdOf(owner);
  }

  /** Returns the last hold of the highest of these turns that has one. */
  async #lastTurnIn(hash: string, low: number, high: number): Promise<FoundHold | undefined> {
    for (let turn = high; turn >= low; turn--) {
      const hold = await this.store.findLastHold(usernameHold(hash, turn).key);
      if (hold) return hold;
    }
    return undefined;
  }

  /**
   * Returns the claims of many names, in their order. Takes two round trips, and one more for each name that was ever taken; for each name
   * if an account was erased, because the first turn of a name may then be gone.
   */
  async claims(usernames: readonly string[]): Promise<NameClaim[]> {
    const first = usernames.map((username) => ({ username, nameHash: nameHash(username), turn: 1 }));
    const holdOf = ({ nameHash, turn }: (typeof first)[number]) => usernameHold(nameHash, turn).key;
    const [{ state: erasures }] = await this.loader.load(erasuresStream);
    const taken = new Set(await this.store.findHolds(first.map(holdOf)));
    const wasTaken = (claim: (typeof first)[number]) => erasures.accounts.length > 0 || taken.has(holdOf(claim));
    return Promise.all(first.map(async (claim) => (wasTaken(claim) ? this.claim(claim.username) : claim)));
  }

  /** Returns the claim with which a command can ask for the name: its next free turn, and when the previous turn ended. */
  async claim(username: string): Promise<NameClaim> {
    const hash = nameHash(username);
    const last = await this.store.findLastHold(usernameHoldPrefix(hash));
    if (!last) return { username, nameHash: hash, turn: 1 };
    const { turn, released } = parseUsernameHold(last.key);
    if (!released) return { username, nameHash: hash, turn: 'taken' };
    return { username, nameHash: hash, turn: turn + 1, released: { by: accountIdOf(last), at: last.at } };
  }
}

/** Returns the account whose commit took the hold of a name. */
const accountIdOf = ({ stream }: FoundHold) => Number(stream.slice('account-'.length));

/** Returns an id that no account ever has. It differs for each name, so that it is cached no more often than a real account. */
export const nonexistentIdFor = (hash: string): number => -1 - Number.parseInt(hash.slice(0, 12), 16);

/** Returns the hex SHA-256 of the exact name: names that differ in one character are different names. */
export const nameHash = (username: string) =>
  createHash('sha256')
    .update(username.isWellFormed() ? username : Buffer.from(username, 'utf16le'))
    .digest('hex');
