import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { isExpired, mayLogInOver, type Account, type SshKeyRing } from '@keyfold/domain';
import { EventStore } from '@keyfold/event-store';
import { accountStream, sshKeyRingStream, StreamLoader } from '@keyfold/projections';
import { accountAt } from '../activity/account-at.js';
import { Clock } from '../commands/clock.js';
import { UserNames } from '../login/user-names.js';

/** A key that can be used to log in. `blob` is its wire format in base64. `expiresAt` is in unix milliseconds; missing if it never expires. */
export type LookedUpSshKey = Readonly<{
  keyId: number;
  title: string;
  type: string;
  blob: string;
  fingerprint: string;
  expiresAt?: number;
}>;

/** An account that can log in with SSH keys, and its unexpired keys, oldest first. */
export type LookedUpAccount = Readonly<{
  accountId: number;
  username: string;
  basePath: string;
  permission: number;
  keys: readonly LookedUpSshKey[];
}>;

/**
 * Looks up the keys that can log in with a user name: all of them, or the one with a fingerprint. Expired keys are left out, whether or
 * not `SshKeyExpired` is stored. Returns null if no account has the name, or if the account is disabled or lacks the permission.
 */
export class LookUpSshKeysQuery extends Query<LookedUpAccount | null> {
  constructor(
    readonly username: string,
    readonly fingerprint?: string,
  ) {
    super();
  }
}

@QueryHandler(LookUpSshKeysQuery)
export class LookUpSshKeysHandler implements IQueryHandler<LookUpSshKeysQuery> {
  constructor(
    private readonly loader: StreamLoader,
    private readonly names: UserNames,
    private readonly clock: Clock,
  ) {}

  async execute({ username, fingerprint }: LookUpSshKeysQuery): Promise<LookedUpAccount | null> {
    const found = (await this.#byLastOwner(username)) ?? (await this.#byHolds(username));
    return found ? lookedUp(found, fingerprint, this.clock.now()) : null;
  }

  /** Loads account and keys in one round trip, if the last known owner of the name still has it. */
  async #byLastOwner(username: string): Promise<Found | undefined> {
    const last = this.names.lastOwnerOf(username);
    if (last === undefined) return undefined;
    const [account, ring] = await this.loader.load(accountStream(last), sshKeyRingStream(last));
    const { state } = account;
    return state.status === 'active' && state.username === username ? { account: state, ring: ring.state } : undefined;
  }

  async #byHolds(username: string): Promise<Found | undefined> {
    const account = await this.names.accountOf(username);
    if (!account) return undefined;
    const [ring] = await this.loader.load(sshKeyRingStream(account.accountId));
    return { account, ring: ring.state };
  }
}

type Found = Readonly<{ account: Account; ring: SshKeyRing }>;

/** Returns the keys that can log in to the account at a time, or null if the account cannot. */
function lookedUp({ account, ring }: Found, fingerprint: string | undefined, at: number): LookedUpAccount | null {
  const { accountId, username, basePath, permission, disabled } = account;
  if (disabled || !mayLogInOver('sftp', permission)) return null;
  return {
    accountId,
    username,
    basePath,
    permission,
    keys: ring.keys
      .filter((each) => !isExpired(each, at))
      .filter(({ key }) => fingerprint === undefined || key.fingerprint === fingerprint)
      .map(({ keyId, title, key, expiresAt }) => ({
        keyId,
        title,
        type: key.type,
        blob: key.blob,
        fingerprint: key.fingerprint,
        ...(expiresAt !== undefined && { expiresAt }),
      })),
  };
}

/**
 * Looks up the keys that could log in with a user name at a time in unix milliseconds, like `LookUpSshKeysQuery` at that time. The name may have belonged to
 * an account that now has another one, or that was deleted since.
 */
export class LookUpPastSshKeysQuery extends Query<LookedUpAccount | null> {
  constructor(
    readonly username: string,
    readonly fingerprint: string | undefined,
    readonly at: number,
  ) {
    super();
  }
}

/** Reads the whole history of one account. Throws `UnfoldableStream`. */
@QueryHandler(LookUpPastSshKeysQuery)
export class LookUpPastSshKeysHandler implements IQueryHandler<LookUpPastSshKeysQuery> {
  constructor(
    private readonly store: EventStore,
    private readonly names: UserNames,
  ) {}

  async execute({ username, fingerprint, at }: LookUpPastSshKeysQuery): Promise<LookedUpAccount | null> {
    const owner = await this.names.ownerAt(username, at);
    if (owner === undefined) return null;
    const past = await accountAt(this.store, owner, at);
    const { status, username: name } = past.account;
    return status === 'active' && name === username ? lookedUp(past, fingerprint, at) : null;
  }
}
