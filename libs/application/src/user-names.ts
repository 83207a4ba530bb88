import { readUsernameHold, usernameHoldPrefix, type Account, type NameClaim } from '@keyfold/domain';
import { EventStore, type FoundHold } from '@keyfold/event-store';
import { accountStream, StreamLoader } from '@keyfold/projections';
import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';

const REMEMBERED_NAMES = 20_000;
const NOBODY = 0;

/** Who holds which user name, at its true state: read from the holds, never from a list. */
export class UserNames {
  /** Who had a name when it was last asked for, by name hash. Never believed: the account itself, or the holds, have the last word. */
  readonly #lastOwners = new LRUCache<string, number>({ max: REMEMBERED_NAMES });

  constructor(
    private readonly store: EventStore,
    private readonly loader: StreamLoader,
  ) {}

  /**
   * The account that goes by the name now. Whether anybody does cannot be told from the number of store operations: one when the name
   * was asked for lately, else the holds and an account, be it one that does not exist.
   */
  async accountOf(username: string): Promise<Account | undefined> {
    const hash = nameHash(username);
    const last = this.#lastOwners.get(hash);
    if (last !== undefined && last !== NOBODY) {
      const account = await this.#accountIf(last, username);
      if (account) return account;
    }
    const owner = (await this.find(username)) ?? NOBODY;
    this.#lastOwners.set(hash, owner);
    if (owner === NOBODY && last === NOBODY) return undefined;
    return this.#accountIf(owner === NOBODY ? strangerOf(hash) : owner, username);
  }

  /** Who had the name when it was last asked for; only the account itself can tell whether it still has it. */
  lastOwnerOf(username: string): number | undefined {
    const last = this.#lastOwners.get(nameHash(username));
    return last === NOBODY ? undefined : last;
  }

  /** An active account of this name holds it, because no other account can while it does. */
  async #accountIf(accountId: number, username: string): Promise<Account | undefined> {
    const [{ state }] = await this.loader.load(accountStream(accountId));
    return state.status === 'active' && state.username === username ? state : undefined;
  }

  /** The account that holds the name now. */
  async find(username: string): Promise<number | undefined> {
    const last = await this.store.findLastHold(usernameHoldPrefix(nameHash(username)));
    if (!last || readUsernameHold(last.key).released) return undefined;
    return accountIdOf(last);
  }

  /** The name as an account can ask for it: with the turn that is free next, and when the one before it ended. */
  async claim(username: string): Promise<NameClaim> {
    const hash = nameHash(username);
    const last = await this.store.findLastHold(usernameHoldPrefix(hash));
    if (!last) return { username, nameHash: hash, turn: 1 };
    const { turn, released } = readUsernameHold(last.key);
    if (!released) return { username, nameHash: hash, turn: 'taken' };
    return { username, nameHash: hash, turn: turn + 1, released: { by: accountIdOf(last), at: last.at } };
  }
}

/** The account whose commit took the hold of a name. */
const accountIdOf = ({ stream }: FoundHold) => Number(stream.slice('account-'.length));

/** An account id that is never given, another one for each name, so that it is cached as seldom as the account of a known name. */
const strangerOf = (hash: string) => -1 - Number.parseInt(hash.slice(0, 12), 16);

/** Hex SHA-256 of the exact name: names are compared letter by letter. */
export const nameHash = (username: string) =>
  createHash('sha256')
    .update(username.isWellFormed() ? username : Buffer.from(username, 'utf16le'))
    .digest('hex');
